"""What every vector index does, whatever it is made of. Numbers like e01 are cases of the collected traps."""

from __future__ import annotations

import dataclasses
import hashlib
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hypermnesia.adapters.generations import LockConflictError
from hypermnesia.adapters.milvus import MilvusVectorIndex
from hypermnesia.ports import IndexRow, NameRow, Source, VectorIndex
from tests.fixtures.index_rows import index_row

DIMENSION = 4
Factory = Callable[[Path, int], VectorIndex]
FACTORIES: list[Any] = [pytest.param(MilvusVectorIndex, id="milvus_lite")]


@pytest.fixture(params=FACTORIES)
def factory(request: pytest.FixtureRequest) -> Factory:
    made: Factory = request.param
    return made


@pytest.fixture
def index(factory: Factory, tmp_path: Path) -> VectorIndex:
    return factory(tmp_path, DIMENSION)


def unit(seed: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    vector = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def make_row(row_id: str, user_id: str = "ann", **changes: Any) -> IndexRow:
    return index_row(row_id, user_id=user_id, **{"vector": unit(1), "context_vector": unit(2), **changes})


def fields(row: IndexRow) -> dict[str, Any]:
    """A row's fields, with vectors as bytes so that they compare exactly."""
    found = {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}
    for name in ("vector", "context_vector"):
        assert found[name].dtype == np.float32
        found[name] = found[name].tobytes()
    return found


def publish(index: VectorIndex, rows: Iterable[IndexRow], expected: int, *, is_fresh: bool = False) -> str:
    with index.build(is_fresh=is_fresh) as build:
        build.upsert(rows)
        return build.publish(expected)


def read(index: VectorIndex, user_id: str) -> list[IndexRow]:
    reader = index.reader()
    try:
        return list(reader.user_rows(user_id))
    finally:
        reader.close()


def checksums(root: Path) -> dict[Path, str]:
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in root.rglob("*") if path.is_file()}


def test_every_field_comes_back_as_it_was(index: VectorIndex) -> None:
    nasty = [
        "",
        "Zoë 👩🏽‍🚒 北京",
        'say "hi" \\ \\" \\n',
        "two\nlines\r\n\tand a tab",
        "'; drop -- %s {} \u2028",
        "null",
    ]
    rows = [make_row("r-none", order=-1, sources=(Source("m1", "a.json", "conv", None),))]
    for number, text in enumerate(nasty):
        sources = (Source("m2", text, text, "D1:3"), Source("m3", "b.zip/ü.json", "", text))
        optional = ("modality", "said_at", "said_local", "event_start", "event_end", "event_precision")
        changes: dict[str, Any] = dict.fromkeys(
            (*optional, "text", "context", "speaker", "conversation_id", "session"), text
        )
        changes |= {"signals": (text, "pr:go")}
        vectors: dict[str, Any] = {
            "vector": unit(number),
            "context_vector": -unit(number),
            "tokens": bytes([number]) * number,
        }
        rows.append(make_row(f"r{number}", order=2**40 + number, sources=sources, **changes, **vectors))
    publish(index, rows, len(rows))
    found = {row.row_id: fields(row) for row in read(index, "ann")}
    assert found == {row.row_id: fields(row) for row in rows}


def make_name(anchor_id: str, user_id: str = "ann", text_hash: str = "h1") -> NameRow:
    return NameRow(anchor_id, user_id, "m1", text_hash, unit(len(anchor_id)))


def test_names_stand_beside_rows(index: VectorIndex) -> None:
    """Names have ids, counts and walls of their own; one that is loaded again replaces itself."""
    with index.build(is_fresh=False) as build:
        build.upsert([make_row("r1")])
        assert build.upsert_names([make_name("a2"), make_name("a1"), make_name("b1", "bob")]) == 3
        assert build.present_names() == {"a1": "h1", "a2": "h1", "b1": "h1"}
        with pytest.raises(RuntimeError, match="1 rows and 3 names, not 1 and 2"):
            build.publish(1, 2)
    with index.build(is_fresh=False) as build:
        build.upsert([make_row("r1")])
        build.upsert_names([make_name("a2"), make_name("a1"), make_name("b1", "bob")])
        build.publish(1, 3)
    with index.build(is_fresh=False) as build:
        build.upsert_names([make_name("a1", text_hash="h2")])
        assert build.delete_names(["b1", "none"]) == 1
        build.publish(1, 2)
    reader = index.reader()
    try:
        found = reader.user_names("ann")
        assert [(n.anchor_id, n.user_id, n.model, n.text_hash) for n in found] == [
            ("a1", "ann", "m1", "h2"),
            ("a2", "ann", "m1", "h1"),
        ]
        assert found[0].vector.tobytes() == unit(2).tobytes()
        assert reader.user_names("bob") == [] and reader.user_names("a%") == []
        with pytest.raises(ValueError, match="user"):
            reader.user_names("")
        assert [row.row_id for row in reader.user_rows("ann")] == ["r1"]
    finally:
        reader.close()
    assert sorted(index.entries()) == [
        ("a1", "m1", "h2"),
        ("a2", "m1", "h1"),
        ("r1", "m1", "context-r1"),
        ("r1", "m1", "text-r1"),
    ]


def test_rows_come_in_the_order_said(index: VectorIndex) -> None:
    places = [("c2", 1, "r1"), ("c1", 10, "r2"), ("c1", 9, "r4"), ("c1", 9, "r3")]
    publish(index, [make_row(key, conversation_id=c, order=order) for c, order, key in places], 4)
    assert [row.row_id for row in read(index, "ann")] == ["r3", "r4", "r2", "r1"]


def test_e01_text_longer_than_a_column_is_cut_between_characters(index: VectorIndex) -> None:
    long = "北京大学" * 10_000
    publish(index, [make_row("r1", text=long, context=long, speaker=long), make_row("r2")], 2)
    cut, whole = read(index, "ann")
    assert long.startswith(cut.text)
    assert len(cut.text.encode()) > 32_000
    assert cut.context == cut.text
    assert long.startswith(cut.speaker)
    assert fields(whole) == fields(make_row("r2"))


def test_e01_more_sources_than_fit_do_not_fail_the_row(index: VectorIndex) -> None:
    sources = tuple(Source(f"m{number}", "archive.json" * 5, "conv", f"D{number}") for number in range(2_000))
    publish(index, [make_row("r1", sources=sources)], 1)
    (row,) = read(index, "ann")
    assert row.sources == sources[: len(row.sources)]
    assert len(row.sources) > 100


def test_e02_the_last_row_of_one_id_in_a_batch_stays(index: VectorIndex) -> None:
    publish(index, [make_row("e1", text="old"), make_row("e2"), make_row("e1", text="new")], 2)
    assert [row.text for row in read(index, "ann")] == ["new", "text of e2"]


def test_a_row_is_replaced_in_a_later_generation(index: VectorIndex) -> None:
    publish(index, [make_row("r1", text="old")], 1)
    publish(index, [make_row("r1", text="new")], 1)
    assert [row.text for row in read(index, "ann")] == ["new"]


@pytest.mark.parametrize("is_stored", [True, False])
def test_e04_a_user_id_is_never_read_as_a_condition(index: VectorIndex, is_stored: bool) -> None:
    users = ['alice" or tenant != "zzz', 'O\'Neil "Red"', "dir\\", 'x" or user_id != "', "a\nb", "element_filter(x)"]
    others = ["alice", "zzz", "dir", "dir\\\\", "x", "ab", "A\nb"]
    stored = [*users, *others] if is_stored else others
    publish(index, [make_row(f"r{number}", user) for number, user in enumerate(stored)], len(stored))
    reader = index.reader()
    assert [[row.user_id for row in reader.user_rows(user)] for user in users] == [
        [user] if is_stored else [] for user in users
    ]
    reader.close()


def test_e04_a_row_id_is_never_read_as_a_condition(index: VectorIndex) -> None:
    with index.build(is_fresh=True) as build:
        build.upsert([make_row('a"b\\'), make_row("r2")])
        assert build.delete(['x"] or row_id != "', "\\"]) == 0
        assert build.delete(['a"b\\']) == 1
        assert list(build.present()) == ["r2"]


def test_e05_an_empty_user_is_an_error(index: VectorIndex) -> None:
    publish(index, [make_row("r1")], 1)
    reader = index.reader()
    with pytest.raises(ValueError, match="user"):
        reader.user_rows("")
    reader.close()
    with index.build(is_fresh=False) as build, pytest.raises(ValueError, match="user"):
        build.upsert([make_row("r2", "")])


def test_users_are_walls(index: VectorIndex) -> None:
    users = [f"user {number}" for number in range(40)]
    rows = [make_row(f"{user}/{number}", user) for user in users for number in range(3)]
    publish(index, rows, 120)
    reader = index.reader()
    for user in users:
        assert [row.row_id for row in reader.user_rows(user)] == [f"{user}/{number}" for number in range(3)]
    assert not reader.user_rows("user")
    reader.close()


def test_e07_deleted_and_new_rows_are_seen_at_once(index: VectorIndex) -> None:
    publish(index, [make_row("r1"), make_row("r2"), make_row("r3", "bob")], 3)
    with index.build(is_fresh=False) as build:
        assert build.upsert([make_row("r4"), make_row("r5")]) == 2
        assert build.delete(["r1", "r3", "r4", "r4", "unknown"]) == 3
        assert dict(build.present()) == {key: f"print-{key}" for key in ("r2", "r5")}
        build.upsert([make_row("r1", text="again")])
        build.publish(3)
    assert [row.row_id for row in read(index, "ann")] == ["r1", "r2", "r5"]
    assert read(index, "bob") == []


def test_entries_name_both_vectors_of_every_row(index: VectorIndex) -> None:
    assert list(index.entries()) == []
    publish(index, [make_row("r1"), make_row("r2", "bob", model="m2")], 2)
    assert sorted(index.entries()) == [
        ("r1", "m1", "context-r1"),
        ("r1", "m1", "text-r1"),
        ("r2", "m2", "context-r2"),
        ("r2", "m2", "text-r2"),
    ]


def test_before_the_first_generation_there_is_nothing_to_read(index: VectorIndex) -> None:
    assert index.published() is None
    with pytest.raises(LookupError):
        index.reader()


def test_a_reader_keeps_its_generation_and_a_new_one_sees_the_next(index: VectorIndex) -> None:
    first = publish(index, [make_row("r1")], 1)
    old = index.reader()
    second = publish(index, [make_row("r2")], 2)
    new = index.reader()
    third = publish(index, [make_row("r3")], 1, is_fresh=True)
    assert [row.row_id for row in old.user_rows("ann")] == ["r1"]
    assert [row.row_id for row in new.user_rows("ann")] == ["r1", "r2"]
    assert [row.row_id for row in read(index, "ann")] == ["r3"]
    assert (old.generation, new.generation, index.published()) == (first, second, third)
    assert len({first, second, third}) == 3
    for reader in (old, new):
        reader.close()
        reader.close()


def test_a_build_with_another_count_is_not_published(index: VectorIndex) -> None:
    name = publish(index, [make_row("r1")], 1)
    with pytest.raises(RuntimeError, match="2"):
        publish(index, [make_row("r2")], 3)
    assert index.published() == name
    assert [row.row_id for row in read(index, "ann")] == ["r1"]


def test_an_abandoned_build_leaves_nothing(index: VectorIndex, tmp_path: Path) -> None:
    publish(index, [make_row("r1")], 1)
    before = checksums(tmp_path)
    with pytest.raises(KeyError), index.build(is_fresh=False) as build:
        build.upsert([make_row("r2")])
        raise KeyError
    build.abandon()
    assert checksums(tmp_path) == before


def test_vectors_of_another_dimension_are_refused(factory: Factory, index: VectorIndex, tmp_path: Path) -> None:
    with index.build(is_fresh=True) as build, pytest.raises(ValueError, match="shape"):
        build.upsert([make_row("r1", vector=np.ones(DIMENSION + 1, dtype=np.float32))])
    publish(index, [make_row("r1")], 1)
    wider = factory(tmp_path, DIMENSION + 1)
    with pytest.raises(RuntimeError, match="build the index fresh"):
        wider.reader()
    with pytest.raises(RuntimeError, match="build the index fresh"):
        wider.build(is_fresh=False)
    wider.build(is_fresh=True).abandon()
    assert [row.row_id for row in read(index, "ann")] == ["r1"]


def test_a_user_larger_than_one_answer_is_read_whole(index: VectorIndex) -> None:
    n_rows = 16_384 + 100
    rows = (make_row(f"r{number:05d}", order=number) for number in range(n_rows))
    with index.build(is_fresh=True) as build:
        build.upsert(rows)
        build.upsert([make_row("r00000", order=n_rows)])
        assert len(build.present()) == n_rows
        build.publish(n_rows)
    found = read(index, "ann")
    assert [row.row_id for row in found] == [f"r{number:05d}" for number in (*range(1, n_rows), 0)]


# --- more than one process ---------------------------------------------------------------------


def start(factory: Any, root: Path, steps: str) -> subprocess.Popen[str]:
    """Runs `steps` on `index` in another process, up to its first line of output."""
    head = f"""
        import sys
        from pathlib import Path
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from {Path(__file__).stem} import make_row
        from {factory.__module__} import {factory.__qualname__} as factory
        index = factory(Path({str(root)!r}), {DIMENSION})
        """
    script = textwrap.dedent(head) + textwrap.dedent(steps)
    process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert listen(process) == "ready"
    return process


def listen(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str], what: str) -> str:
    assert process.stdin is not None
    process.stdin.write(f"{what}\n")
    process.stdin.flush()
    return listen(process)


def test_e08_one_writer_at_a_time_and_readers_beside_it(factory: Factory, index: VectorIndex, tmp_path: Path) -> None:
    publish(index, [make_row("r1")], 1)
    steps = """
        for n_rows in (2, 3):
            build = index.build(is_fresh=False)
            build.upsert([make_row(f"r{n_rows}")])
            print("ready", flush=True)
            sys.stdin.readline()
            print(build.publish(n_rows), flush=True)
        """
    writer = start(factory, tmp_path, steps)
    try:
        with pytest.raises(LockConflictError, match=str(tmp_path)):
            index.build(is_fresh=False)
        reader = index.reader()
        assert tell(writer, "publish") == index.published() != reader.generation
        assert [row.row_id for row in reader.user_rows("ann")] == ["r1"]
        reader.close()
        assert [row.row_id for row in read(index, "ann")] == ["r1", "r2"]
        assert listen(writer) == "ready"
    finally:
        writer.kill()
        writer.communicate()
    name = index.published()
    with index.build(is_fresh=False) as build:
        assert list(build.present()) == ["r1", "r2"], "what the killed build wrote is gone"
    assert [path.name for path in (tmp_path / "generations").iterdir()] == [name]


def test_reading_does_not_change_what_is_published(factory: Factory, index: VectorIndex, tmp_path: Path) -> None:
    for number in range(2):
        publish(index, [make_row(f"r{number}")], number + 1)
    before = checksums(tmp_path)
    steps = """
        reader = index.reader()
        assert len(reader.user_rows("ann")) == 2
        print("ready", flush=True)
        sys.stdin.readline()
        """
    process = start(factory, tmp_path, steps)
    assert {path: digest for path, digest in checksums(tmp_path).items() if path in before} == before
    process.kill()
    process.communicate()
    read(index, "ann")
    after = checksums(tmp_path)
    assert {path: after.get(path) for path in before} == before
    assert not [path for path in after.keys() - before.keys() if path.name != "registry"]


def test_tokens_change_and_go_with_their_rows_and_a_reader_keeps_its_own(index: VectorIndex) -> None:
    rows = [make_row(f"r{n}", tokens=b"old" * n) for n in range(4)]
    publish(index, [*rows, make_row("other", "bob", tokens=b"bob's")], 5)
    reader = index.reader()
    with index.build(is_fresh=False) as build:
        build.upsert([make_row("r1", tokens=b"new"), make_row("r2", tokens=b"")])
        build.delete(["r3"])
        build.publish(4)
    assert {row.row_id: row.tokens for row in read(index, "ann")} == {"r0": b"", "r1": b"new", "r2": b""}
    assert [row.tokens for row in read(index, "bob")] == [b"bob's"]
    assert [row.tokens for row in reader.user_rows("ann")] == [b"", b"old", b"oldold", b"oldoldold"]
    reader.close()
    publish(index, rows[:1], 1, is_fresh=True)
    assert read(index, "bob") == []
