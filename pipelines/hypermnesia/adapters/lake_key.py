"""The lake key: what ids and content hashes are made with, kept outside the lake (DESIGN 3)."""

from __future__ import annotations

from pathlib import Path

from hypermnesia.adapters.key_files import KeyPlace

KEY_FILE = "lake.key"
CHECK_FILE = "key.check"


def read_lake_key(home: Path, given: str | None) -> bytes:
    """The key that was given, else the home's file; where neither is, a new file with a warning.

    Raises `ValueError` where the lake was made with another key: its ids would not match.
    """
    key_file = home / KEY_FILE
    place = KeyPlace(
        kind="lake",
        variable="HYPERMNESIA_LAKE_KEY",
        key_file=key_file,
        check_file=home / "lake" / CHECK_FILE,
        owner=f"the lake {home / 'lake'}",
        made=f"made a lake key: keep {key_file} safe and apart from the lake; without it nothing can be added",
    )
    return place.read(given)
