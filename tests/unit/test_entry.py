"""Where a question enters the graph by vector."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.ports import NameRow
from hypermnesia.retrieval.entry import Names

AXES = np.eye(2, dtype=np.float32)
COSINES = st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 0.50000001, 1.0]), max_size=12)


@given(COSINES, st.randoms(), st.integers(1, 5))
def test_the_nearest_names_are_those_of_a_plain_sort(cosines: list[float], random: object, n: int) -> None:
    rows = [NameRow(f"anc_{i:02}", "ann", "m", "", np.array([c, 0], np.float32)) for i, c in enumerate(cosines)]
    random.shuffle(rows)  # type: ignore[attr-defined]
    plain = sorted(rows, key=lambda row: (-round(float(row.vector[0]), 6), row.anchor_id))[:n]
    assert list(Names(rows).nearest(AXES[0], n)) == [row.anchor_id for row in plain]
