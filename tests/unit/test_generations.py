from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hypermnesia.adapters.generations as generations_module
from hypermnesia.adapters.generations import Generations, LockConflictError, ReaderCopy


@pytest.fixture
def generations(tmp_path: Path) -> Generations:
    return Generations(tmp_path / "index", part="rows", linked=frozenset({".data"}))


@pytest.fixture
def others(generations: Generations) -> Generations:
    """The same generations, as the adapter of another part sees them."""
    return Generations(generations.root, part="graph.file", linked=frozenset())


def publish(generations: Generations, content: str) -> str:
    """Writes one more fixed file, and the state in place."""
    draft = generations.start(is_fresh=False)
    (draft.path / "rows" / "deep").mkdir(parents=True, exist_ok=True)
    (draft.path / "rows" / "deep" / f"{content}.data").write_text(content)
    (draft.path / "rows" / "state.json").write_text(content)
    draft.publish()
    return draft.name


def publish_other(others: Generations, content: str, *, is_fresh: bool = False) -> str:
    draft = others.start(is_fresh=is_fresh)
    (draft.path / "graph.file").write_text(content)
    draft.publish()
    return draft.name


def test_a_copy_shares_what_is_fixed_and_owns_the_rest(generations: Generations) -> None:
    name = publish(generations, "one")
    copy = generations.copy_published()
    original = generations.root / "generations" / name
    assert (copy.path / "rows/deep/one.data").samefile(original / "rows/deep/one.data")
    assert not (copy.path / "rows/state.json").samefile(original / "rows/state.json")
    copy.close()
    assert not copy.path.exists()
    assert (original / "rows/deep/one.data").read_text() == "one"


def test_a_draft_shares_what_is_fixed_and_owns_the_rest(generations: Generations) -> None:
    published = generations.root / "generations" / publish(generations, "one")
    reader = generations.copy_published()
    draft = generations.start(is_fresh=False)
    assert (draft.path / "rows/deep/one.data").samefile(published / "rows/deep/one.data")
    assert not (draft.path / "rows/state.json").samefile(published / "rows/state.json")
    draft.abandon()
    assert (published / "rows/deep/one.data").read_text() == "one"
    publish(generations, "two")
    assert (reader.path / "rows/state.json").read_text() == "one"
    assert (reader.path / "rows/deep/one.data").read_text() == "one", "a dropped generation's links hold its files"
    fresh = generations.start(is_fresh=True)
    assert list(fresh.path.iterdir()) == []
    fresh.abandon()


def test_parts_of_other_adapters_stay_and_are_shared(generations: Generations, others: Generations) -> None:
    first = publish(generations, "one")
    assert generations.published() == first
    assert others.published() is None
    with pytest.raises(LookupError, match="nothing is published"):
        others.copy_published()
    publish_other(others, "graph")
    second = publish(generations, "two")
    assert generations.published() == others.published() == second
    for is_fresh in (False, True):
        draft = generations.start(is_fresh=is_fresh)
        assert (draft.path / "graph.file").samefile(generations.root / "generations" / second / "graph.file")
        assert (draft.path / "rows").exists() is not is_fresh
        draft.abandon()
    third = publish_other(others, "graph again", is_fresh=True)
    copy = generations.copy_published()
    assert copy.name == third
    assert [path.name for path in copy.path.iterdir()] == ["rows"], "a reader copies its own part"
    assert sorted(path.name for path in (copy.path / "rows/deep").iterdir()) == ["one.data", "two.data"]
    copy.close()


def test_a_reader_that_never_writes_links_all(others: Generations) -> None:
    name = publish_other(others, "graph")
    linked, copied = others.copy_published(is_read_only=True), others.copy_published()
    original = others.root / "generations" / name / "graph.file"
    assert (linked.path / "graph.file").samefile(original)
    assert not (copied.path / "graph.file").samefile(original)
    for copy in (linked, copied):
        copy.close()
    assert original.read_text() == "graph"


def test_names_differ_after_a_draft_was_dropped(generations: Generations) -> None:
    first = generations.start(is_fresh=True)
    first.abandon()
    second = generations.start(is_fresh=True)
    assert first.name != second.name
    second.abandon()


def test_a_failed_start_gives_the_lock_back(generations: Generations) -> None:
    name = publish(generations, "one")
    (generations.root / "generations" / name).rename(generations.root / "gone")
    with pytest.raises(FileNotFoundError):
        generations.start(is_fresh=False)
    with pytest.raises(FileNotFoundError):
        generations.copy_published()
    generations.start(is_fresh=True).abandon()


def test_a_second_draft_of_one_process_is_refused_too(generations: Generations) -> None:
    draft = generations.start(is_fresh=True)
    with pytest.raises(LockConflictError, match="index"):
        generations.start(is_fresh=True)
    draft.abandon()


@pytest.mark.parametrize("is_before", [True, False])
def test_a_copy_made_while_the_pointer_swaps_is_made_again(
    generations: Generations, monkeypatch: pytest.MonkeyPatch, is_before: bool
) -> None:
    publish(generations, "one")
    register, share, names = Generations._register, generations_module._share, []

    def register_name(self: Generations, name: str) -> ReaderCopy:
        names.append(name)
        return register(self, name)

    def share_while_published(source: Path, target: Path, how: Any) -> None:
        is_first = len(names) == 1 and target.is_relative_to(generations.root / "readers")
        if is_first and is_before:
            publish(generations, "two")
        share(source, target, how)
        if is_first:
            publish(generations, "three")

    monkeypatch.setattr(Generations, "_register", register_name)
    monkeypatch.setattr(generations_module, "_share", share_while_published)
    copy = generations.copy_published()
    assert (copy.path / "rows/state.json").read_text() == ("two" if is_before else "three")
    assert copy.name == generations.published() == names[1]
    assert len(list((generations.root / "readers").glob("*.lock"))) == 1
    copy.close()


def test_copies_of_dead_readers_are_dropped_and_those_of_living_ones_kept(generations: Generations) -> None:
    publish(generations, "one")
    living = generations.copy_published()
    script = (
        "import os, sys; from pathlib import Path; from hypermnesia.adapters.generations import Generations;"
        "print(Generations(Path(sys.argv[1]), 'rows', frozenset()).copy_published().path, flush=True); os._exit(9)"
    )
    command = [sys.executable, "-c", script, str(generations.root)]
    dead = Path(subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip())
    assert dead.is_dir()
    another = generations.copy_published()
    assert not dead.exists()
    assert (living.path / "rows/state.json").exists()
    for copy in (living, another):
        copy.close()
    assert [path.name for path in (generations.root / "readers").iterdir()] == ["registry"]


def test_an_error_after_the_swap_does_not_drop_what_is_published(
    generations: Generations, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(generations, "one")
    draft = generations.start(is_fresh=False)

    def fail(folder: Path, kept: str | None) -> None:
        raise OSError("disk")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="disk"):
        patch.setattr("hypermnesia.adapters.generations._drop_others", fail)
        draft.publish()
    draft.abandon()
    assert generations.published() == draft.name
    generations.copy_published().close()
    generations.start(is_fresh=False).abandon()
