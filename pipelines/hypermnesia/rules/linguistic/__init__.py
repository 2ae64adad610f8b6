"""Pure rules from a plain dependency parse to records and frames (DESIGN 5; issue 5, point 2)."""
