"""Hypothesis: no deadline, since the first example pays for imports and CI machines pause."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("hypermnesia", deadline=None)
settings.load_profile("hypermnesia")
