from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hypermnesia.adapters.generations import Generations, LockConflictError, ReaderCopy


@pytest.fixture
def generations(tmp_path: Path) -> Generations:
    return Generations(tmp_path / "index", linked=frozenset({".data"}))


def publish(generations: Generations, content: str) -> str:
    draft = generations.start(is_fresh=False)
    (draft.path / "deep").mkdir(exist_ok=True)
    (draft.path / "deep" / "fixed.data").write_text(content)
    (draft.path / "state.json").write_text(content)
    draft.publish()
    return draft.name


def test_a_copy_shares_what_is_fixed_and_owns_the_rest(generations: Generations) -> None:
    name = publish(generations, "one")
    copy = generations.copy_published()
    original = generations.root / "generations" / name
    assert (copy.path / "deep" / "fixed.data").samefile(original / "deep" / "fixed.data")
    assert not (copy.path / "state.json").samefile(original / "state.json")
    copy.close()
    assert not copy.path.exists()
    assert (original / "deep" / "fixed.data").read_text() == "one"


def test_a_draft_starts_as_a_copy_that_shares_nothing(generations: Generations) -> None:
    publish(generations, "one")
    reader = generations.copy_published()
    publish(generations, "two")
    assert (reader.path / "deep" / "fixed.data").read_text() == "one"
    fresh = generations.start(is_fresh=True)
    assert list(fresh.path.iterdir()) == []
    fresh.abandon()


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
    fill, names = Generations._fill, []

    def fill_while_published(self: Generations, copy: ReaderCopy) -> None:
        names.append(copy.name)
        if len(names) == 1 and is_before:
            publish(generations, "two")
        fill(self, copy)
        if len(names) == 1:
            publish(generations, "two")

    monkeypatch.setattr(Generations, "_fill", fill_while_published)
    copy = generations.copy_published()
    assert (copy.path / "state.json").read_text() == "two"
    assert copy.name == generations.published() == names[1]
    assert len(list((generations.root / "readers").glob("*.lock"))) == 1
    copy.close()


def test_copies_of_dead_readers_are_dropped_and_those_of_living_ones_kept(generations: Generations) -> None:
    publish(generations, "one")
    living = generations.copy_published()
    script = (
        "import os, sys; from pathlib import Path; from hypermnesia.adapters.generations import Generations;"
        "print(Generations(Path(sys.argv[1]), frozenset()).copy_published().path, flush=True); os._exit(9)"
    )
    command = [sys.executable, "-c", script, str(generations.root)]
    dead = Path(subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip())
    assert dead.is_dir()
    another = generations.copy_published()
    assert not dead.exists()
    assert (living.path / "state.json").exists()
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
