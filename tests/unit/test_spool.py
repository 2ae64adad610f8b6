"""The answer spool: what survives a kill, what is counted against an item, what goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.engine.spool import BATCH_ANSWERS, FileSpool
from hypermnesia.ports import Completion


def answer(number: int) -> Completion:
    return Completion(f"call {number}", "ok", f"text {number} \u00e9", "m", 10, 4, 3, 0.5, "why")


@pytest.fixture
def spool(tmp_path: Path) -> FileSpool:
    return FileSpool(tmp_path / "spool")


def test_what_was_flushed_is_there_again(spool: FileSpool) -> None:
    life = spool.life("one")
    life.keep("s", answer(1))
    assert spool.answers("s") == {}
    life.flush()
    life.keep("s", answer(2))
    life.flush()
    life.keep("other", answer(3))
    life.close("other")
    assert spool.answers("s") == {a.id: a for a in (answer(1), answer(2))}
    assert spool.answers("other") == {"call 3": answer(3)}
    assert spool.answers("nothing") == {}


def test_a_full_batch_is_written_without_a_flush(spool: FileSpool) -> None:
    life = spool.life("one")
    for number in range(BATCH_ANSWERS + 1):
        life.keep("s", answer(number))
    assert len(spool.answers("s")) == BATCH_ANSWERS


def test_lives_add_up_and_never_append_to_each_other(spool: FileSpool, tmp_path: Path) -> None:
    for name in ("one", "two"):
        life = spool.life(name)
        life.keep("s", answer(len(name) + ord(name[0])))
        life.close("s")
    assert len(spool.answers("s")) == 2
    life = spool.life("one")
    life.keep("s", answer(9))
    with pytest.raises(FileExistsError):
        life.flush()


def test_a_cut_at_any_byte_loses_only_the_batches_that_it_cut(spool: FileSpool, tmp_path: Path) -> None:
    life, ends = spool.life("one"), []
    path = tmp_path / "spool" / "s" / "one.arrow"
    for number in range(4):
        life.keep("s", answer(number))
        life.flush()
        ends.append(path.stat().st_size)
    whole = path.read_bytes()
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        found = spool.answers("s")
        n_whole = sum(size >= end for end in ends)
        assert set(found) == {f"call {number}" for number in range(n_whole)}, size
        assert all(found[f"call {number}"] == answer(number) for number in range(n_whole))


def test_items_that_ran_at_a_death_are_counted_once_a_life(spool: FileSpool) -> None:
    for name in ("one", "two"):
        life = spool.life(name)
        for item in ("a", "b", "c"):
            life.begin("s", item)
        life.end("s", "b")
        spool.blame("s", name)
        spool.blame("s", name)
    spool.life("three").begin("s", "b")  # its driver died: nobody is to blame
    assert spool.deaths("s") == {"a": 2, "c": 2}
    assert spool.deaths("other") == {}
    spool.blame("other", "one")


def test_a_shard_that_is_committed_leaves_nothing(spool: FileSpool, tmp_path: Path) -> None:
    life = spool.life("one")
    life.begin("s", "a")
    life.keep("s", answer(1))
    life.close("s")
    life.keep("t", answer(2))
    life.flush()
    assert spool.shards() == {"s", "t"}
    spool.drop(["s", "never there"])
    assert spool.shards() == {"t"}
    assert [path.name for path in (tmp_path / "spool").iterdir()] == ["t"]


def test_answers_are_for_their_owner_alone(spool: FileSpool, tmp_path: Path) -> None:
    life = spool.life("one")
    life.keep("s", answer(1))
    life.flush()
    for folder in (tmp_path / "spool", tmp_path / "spool" / "s"):
        assert folder.stat().st_mode & 0o077 == 0
