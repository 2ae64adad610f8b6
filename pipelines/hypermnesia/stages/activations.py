"""Switching extractor versions on: rows of `activations`, appended and never changed (DESIGN 3)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hypermnesia.contracts.tables import ACTIVATIONS
from hypermnesia.ports import Extractor, Lake
from hypermnesia.rules.activation import active_versions
from hypermnesia.rules.identity import Identity


def activate(lake: Lake, identity: Identity, version: str, memory_types: Sequence[str], at: datetime) -> None:
    """Puts a version in front for some memory types; nothing is written where it is in front of all of them.

    Raises `ConcurrentCommitError` where somebody else activates at the same time.
    """
    table = lake.open("activations")
    known = lake.read("activations", columns=["memory_type", "extractor_version", "ordinal"]).to_pylist()
    front = {memory_type: versions[0] for memory_type, versions in active_versions(known).items()}
    ordinal = 1 + max((row["ordinal"] for row in known), default=-1)
    rows = [
        {
            "activation_id": identity.make("activation", memory_type, version, str(ordinal)),
            "memory_type": memory_type,
            "extractor_version": version,
            "ordinal": ordinal,
            "activated_at": at,
            "shard_id": f"activation/{ordinal}",
        }
        for memory_type in memory_types
        if front.get(memory_type) != version
    ]
    if rows:
        table.append(ACTIVATIONS.table(rows), [f"activation/{ordinal}"])


def activate_first(lake: Lake, identity: Identity, extractor: Extractor, at: datetime) -> list[str]:
    """Activates the extractor for types that nothing is active for; gives the types where another stays in front."""
    active = active_versions(lake.read("activations").to_pylist())
    activate(lake, identity, extractor.version, [t for t in extractor.memory_types if t not in active], at)
    return [t for t in extractor.memory_types if active.get(t, (extractor.version,))[0] != extractor.version]
