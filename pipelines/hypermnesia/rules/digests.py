"""Order-free digests of rows: equal for equal rows in any order, in any files (DESIGN 10).

A digest is the sum of the rows' hashes mod 2^128, with their number: so it can be made in pieces. Clocks,
run ids, seconds, shard ids and ciphertext are left out, and a model's floats, which differ by processor:
their text's hash stands for them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

LEFT_OUT = frozenset(
    [
        "shard_id",
        "committed_at",
        "rejected_at",
        "seen_at",
        "decided_at",
        "activated_at",
        "used_at",
        "seconds",
        "n_tokens_cached",
        "run_id",
        "vector",
        "tokens",
        "bucket",
        "schema_version",
        "ciphertext",
        "key_id",
    ]
)
_MODULUS = 1 << 128


class Digest:
    """Adds up rows."""

    def __init__(self) -> None:
        self._sum = 0
        self._n = 0

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Adds rows, in any order."""
        for row in rows:
            kept = {name: value for name, value in row.items() if name not in LEFT_OUT}
            text = json.dumps(kept, sort_keys=True, ensure_ascii=False, default=_plain)
            self._sum = (self._sum + int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest())) % _MODULUS
            self._n += 1

    def text(self) -> str:
        """ "rows-hash"."""
        return f"{self._n}-{self._sum:032x}"


def combine(digests: Mapping[str, str]) -> str:
    """One digest of several named ones."""
    lines = "\n".join(f"{name} {digest}" for name, digest in sorted(digests.items()))
    return hashlib.blake2b(lines.encode(), digest_size=16).hexdigest()


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"no digest of {type(value).__name__}")
