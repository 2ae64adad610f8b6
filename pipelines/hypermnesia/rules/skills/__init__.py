"""Skills from task sessions, by code alone: outcomes, abstraction, slices, alignment, curation (DESIGN 6)."""
