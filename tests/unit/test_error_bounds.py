"""Exact intervals of a share, against known values."""

from __future__ import annotations

import pytest

from hypermnesia.rules.error_bounds import upper_bound


@pytest.mark.parametrize(
    ("n_wrong", "n", "expected"),
    [(0, 10, 0.3085), (1, 10, 0.4450), (0, 3_000, 3.689 / 3_000), (1, 3_000, 5.571 / 3_000), (5, 100, 0.1128)],
)
def test_the_upper_end_is_clopper_and_pearsons(n_wrong: int, n: int, expected: float) -> None:
    assert upper_bound(n_wrong, n) == pytest.approx(expected, rel=2e-3)


def test_nothing_bounds_nothing_and_more_evidence_bounds_better() -> None:
    assert upper_bound(0, 0) == upper_bound(3, 3) == 1.0
    bounds = [upper_bound(0, n) for n in (10, 100, 1_000, 100_000)]
    assert bounds == sorted(bounds, reverse=True)
    assert upper_bound(2, 1_000) > upper_bound(1, 1_000) > upper_bound(0, 1_000)
