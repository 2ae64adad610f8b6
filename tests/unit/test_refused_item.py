"""An item that could not be run: one reject that names it, its user and the remedy, and counts that add up."""

from __future__ import annotations

import pytest

from hypermnesia.ports import Shard
from hypermnesia.rules.identity import Identity
from hypermnesia.stages.rejects import NO_BUCKET, refused_item

IDENTITY = Identity(b"k" * 32)


@pytest.mark.parametrize(
    ("of_shard", "given", "wanted"), [(3, None, 3), (None, 5, 5), (None, None, NO_BUCKET), (0, None, 0)]
)
def test_one_reject_of_the_stage_whose_shard_it_was(of_shard: int | None, given: int | None, wanted: int) -> None:
    shard = Shard("judge_entities", "shard_1", of_shard, ("ann", "bob"))
    part = refused_item(
        IDENTITY, shard, "ann", "worker_died", "a\nb", user_id="ann", remedy="try again", n=4, bucket=given
    )
    (row,) = part.tables["rejects"].to_pylist()
    assert (row["stage"], row["user_id"], row["subject_id"], row["bucket"]) == ("judge_entities", "ann", "ann", wanted)
    assert (row["reason"], row["remedy"], row["detail"], row["shard_id"]) == (
        "worker_died", "try again", "a b", "shard_1",
    )  # fmt: skip
    assert part.n_in == part.n_rejected == 4 and part.reasons == {"worker_died": 4}
