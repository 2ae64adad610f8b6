"""What every graph index does, whatever it is made of. Numbers like f05 are cases of the collected traps."""

from __future__ import annotations

import hashlib
import itertools
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hypermnesia.adapters.generations import LockConflictError
from hypermnesia.adapters.sqlite import SqliteGraphIndex
from hypermnesia.ports.graph import Anchor, Citation, Frame, FrameRole, GraphBuild, GraphCounts, GraphIndex, GraphReader

NASTY = ["a", "a ", " a", "ab", "a'b", 'a"b', "100%", "a_b", "a\\", "a\x00", "a\x00b", "\x7f", "é", "e\u0301", "ﬀ"]
NASTY += [
    "𝒳",
    "\uffff",
    "\ue000",
    "a\nb",
    "null",
    "a;b",
    "a,b",
    "{a: 1}",
    "' OR 1=1 --",
    "$user_id",
    "北京",
    "'",
    '"',
    "`",
]


@dataclass
class Store:
    """One kind of index, empty; `has_generations` where drafts are apart from what is published."""

    index: GraphIndex
    has_generations: bool
    clear: Callable[[], None]


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "neo4j":
        neo4j = request.getfixturevalue("neo4j_graph")
        return Store(neo4j.index, False, neo4j.clear)
    folders = itertools.count()
    store = Store(SqliteGraphIndex(tmp_path / "0"), True, lambda: None)

    def clear() -> None:
        store.index = SqliteGraphIndex(tmp_path / str(next(folders)))

    store.clear = clear
    return store


def make_anchor(anchor_id: str, user_id: str = "ann", **changes: Any) -> Anchor:
    plain = Anchor(
        anchor_id=anchor_id,
        user_id=user_id,
        type="person",
        name=f"{anchor_id} of {user_id}",
        aliases=(f"{anchor_id} of {user_id}",),
        keys=(anchor_id,),
        members=(anchor_id,),
        n_records=1,
        degree=1,
        fingerprint=f"print of {anchor_id}",
    )
    return replace(plain, **changes)


def make_frame(frame_id: str, *anchor_ids: str, user_id: str = "ann", **changes: Any) -> Frame:
    plain = Frame(
        frame_id=frame_id,
        user_id=user_id,
        predicate="like",
        is_event=False,
        occurrence="",
        order="2026-01-01",
        roles=tuple(FrameRole(f"role {number}", name, name) for number, name in enumerate(anchor_ids)),
        citations=(make_citation(f"row of {frame_id}"),),
        fingerprint=f"print of {frame_id}",
    )
    return replace(plain, **changes)


def make_citation(row_id: str, **changes: Any) -> Citation:
    return replace(Citation(row_id, "done", False, None, None, None, "unknown"), **changes)


@dataclass
class Graphs:
    """What a store should hold, searched by looking at everything."""

    anchors: dict[tuple[str, str], Anchor] = field(default_factory=dict)
    frames: dict[tuple[str, str], Frame] = field(default_factory=dict)

    def add(self, user_id: str, anchors: Iterable[Anchor], frames: Iterable[Frame]) -> None:
        self.anchors |= {(user_id, anchor.anchor_id): anchor for anchor in anchors}
        self.frames |= {(user_id, frame.frame_id): frame for frame in frames}

    def users(self) -> list[str]:
        return sorted({user for user, _ in (*self.anchors, *self.frames)})

    def of(self, user_id: str) -> tuple[list[Anchor], list[Frame]]:
        anchors = [anchor for (user, _), anchor in sorted(self.anchors.items()) if user == user_id]
        return anchors, [frame for (user, _), frame in sorted(self.frames.items()) if user == user_id]

    def counts(self) -> GraphCounts:
        return GraphCounts.of(list(self.anchors.values()), list(self.frames.values()))

    def entries(self) -> list[tuple[str, str, str]]:
        parts = (*self.anchors.items(), *self.frames.items())
        return sorted((user, entry, part.fingerprint) for (user, entry), part in parts)

    def ask(self, user_id: str, name: str, values: Sequence[str], *options: Any) -> list[Any]:
        anchors, frames = self.of(user_id)
        wanted = set(values)
        if name == "anchors":
            return [a for a in anchors if wanted & {a.anchor_id, *a.members}]
        if name == "anchors_by_key":
            return [a for a in anchors if wanted & set(a.keys)]
        if name == "frames":
            return [f for f in frames if f.frame_id in wanted]
        if name == "frames_citing":
            return [f for f in frames if wanted & {c.row_id for c in f.citations}]
        predicates, limit = options
        stand = [(f, {role.anchor_id for role in f.roles}) for f in frames]
        found = [f for f, ids in stand if (wanted & ids if name == "frames_around" else wanted and wanted <= ids)]
        found = [f for f in found if predicates is None or f.predicate in predicates]
        return sorted(found, key=lambda f: f.order, reverse=True)[:limit]


def ask(reader: GraphReader, user_id: str, name: str, values: Sequence[str], *options: Any) -> list[Any]:
    named = dict(zip(("predicates", "limit"), options, strict=False))
    return list(getattr(reader, name)(user_id, values, **named))


def load(store: Store, graphs: Graphs, *, is_fresh: bool = True, fingerprint: str = "whole") -> str:
    with store.index.build(is_fresh=is_fresh) as build:
        for user in graphs.users():
            build.apply(user, fingerprint, *graphs.of(user), [])
        return build.publish(graphs.counts())


def load_one(store: Store, anchors: Sequence[Anchor], frames: Sequence[Frame]) -> Graphs:
    graphs = Graphs()
    graphs.add("ann", anchors, frames)
    load(store, graphs)
    return graphs


@contextmanager
def reading(store: Store) -> Iterator[GraphReader]:
    reader = store.index.reader()
    try:
        yield reader
    finally:
        reader.close()


# --- what comes back -----------------------------------------------------------------------------


def test_every_field_comes_back_as_it_was(store: Store) -> None:
    anchors = [
        make_anchor(f"a{n}{text}", name=text, type=text, aliases=(text, "x"), keys=(text,), n_records=n, degree=2**40)
        for n, text in enumerate(NASTY)
    ]
    frames = [
        make_frame(
            f"f{n}{text}",
            predicate=text,
            is_event=bool(n % 2),
            occurrence=text,
            order=text,
            roles=(FrameRole(text, anchors[n].anchor_id, text), FrameRole(text, anchors[0].anchor_id, f"{text} 2")),
            citations=(
                make_citation(f"{text} 1", modality=text, is_negated=True, said_local=text, event_start=text),
                make_citation(f"{text} 2", event_end=text, event_precision=text, attributes=((text, text), (text, ""))),
            ),
        )
        for n, text in enumerate(NASTY)
    ]
    load_one(store, anchors, frames)
    with reading(store) as reader:
        assert list(reader.user_anchors("ann")) == sorted(anchors, key=lambda anchor: anchor.anchor_id)
        assert list(reader.frames("ann", [f.frame_id for f in frames])) == sorted(frames, key=lambda f: f.frame_id)
        assert [f.frame_id for f in reader.frames_around("ann", [anchors[0].anchor_id])] == [
            f.frame_id for f in sorted(frames, key=lambda frame: frame.order, reverse=True)
        ]


def test_a_frame_of_one_anchor_in_two_roles_comes_once(store: Store) -> None:
    roles = (FrameRole("agent", "a", "a"), FrameRole("object", "a", "b"), FrameRole("object", "a", "c"))
    graphs = load_one(store, [make_anchor("a", members=("a", "b", "c"))], [make_frame("f1", roles=roles)])
    with reading(store) as reader:
        assert [f.frame_id for f in reader.frames_around("ann", ["a"], limit=2)] == ["f1"]
        assert [f.frame_id for f in reader.frames_joining("ann", ["a", "a"])] == ["f1"]
        assert reader.counts() == graphs.counts()
        assert reader.counts().n_roles == 3


def test_answers_come_newest_first_then_by_id(store: Store) -> None:
    times = {"f5": "2026-01-02", "f4": "2026-01-02T09:30", "f3": "", "f2": "2026-01-02", "f1": "1999", "f6": ""}
    load_one(store, [make_anchor("a")], [make_frame(frame_id, "a", order=order) for frame_id, order in times.items()])
    with reading(store) as reader:
        whole = [f.frame_id for f in reader.frames_around("ann", ["a"])]
        assert whole == ["f4", "f2", "f5", "f1", "f3", "f6"]
        for limit in range(1, 8):
            assert [f.frame_id for f in reader.frames_around("ann", ["a"], limit=limit)] == whole[:limit]
            assert [f.frame_id for f in reader.frames_joining("ann", ["a"], limit=limit)] == whole[:limit]


def test_a_hub_is_filtered_before_it_is_capped(store: Store) -> None:
    frames = [make_frame(f"f{n:05d}", "hub", f"a{n % 7}", order=f"2026-{n:05d}") for n in range(3_000)]
    rare = [make_frame(f"r{n}", "hub", "a0", predicate="marry", order="1990") for n in range(5)]
    load_one(store, [make_anchor("hub", degree=3_005), *(make_anchor(f"a{n}") for n in range(7))], [*frames, *rare])
    with reading(store) as reader:
        assert [f.frame_id for f in reader.frames_around("ann", ["hub"], predicates=["marry"])] == [
            "r0", "r1", "r2", "r3", "r4"
        ]  # fmt: skip
        found = reader.frames_around("ann", ["hub", "a0"], predicates=["marry", "like"])
        assert [f.frame_id for f in found] == [f"f{n:05d}" for n in range(2_999, 2_759, -1)]
        assert reader.frames_around("ann", ["hub"], predicates=[]) == []
        assert reader.frames_around("ann", []) == []


def test_a_join_is_exact_however_old_and_rare(store: Store) -> None:
    hubs = [make_frame(f"f{n:05d}", "one", "two"[: n % 4] or "x", order="2026") for n in range(2_000)]
    joins = [make_frame(f"j{n}", "one", "two", "rare", predicate=f"p{n}", order="1990") for n in range(3)]
    names = ("one", "two", "t", "tw", "x", "rare")
    load_one(store, [make_anchor(name, degree=1 if name == "rare" else 900) for name in names], [*hubs, *joins])
    with reading(store) as reader:
        assert [f.frame_id for f in reader.frames_joining("ann", ["one", "two", "rare"])] == ["j0", "j1", "j2"]
        assert [f.frame_id for f in reader.frames_joining("ann", ["rare", "one"], predicates=["p2", "p0"])] == [
            "j0",
            "j2",
        ]
        assert reader.frames_joining("ann", ["one", "nobody"]) == []
        assert reader.frames_joining("ann", ["x", "two"]) == []
        assert reader.frames_joining("ann", ["one", "two"], predicates=[]) == []
        assert reader.frames_joining("ann", []) == []


def test_a_limit_below_one_is_an_error(store: Store) -> None:
    load_one(store, [make_anchor("a")], [])
    with reading(store) as reader:
        for call in (reader.frames_around, reader.frames_joining):
            with pytest.raises(ValueError, match="limit"):
                call("ann", ["a"], limit=0)


@pytest.mark.parametrize("is_kept_first", [True, False])
def test_a_merged_id_finds_its_kept_anchor_and_undo_gives_it_back(store: Store, is_kept_first: bool) -> None:
    apart = [make_anchor("a", keys=("a", "x")), make_anchor("b", keys=("b", "x"))]
    frames = [make_frame("f", "a", "b")]
    load_one(store, apart, frames)
    kept = make_anchor("a", members=("a", "b"), keys=("a", "b", "x"), fingerprint="merged")
    merged_frame = make_frame(
        "f", roles=(FrameRole("role 0", "a", "a"), FrameRole("role 1", "a", "b")), fingerprint="m"
    )
    with store.index.build(is_fresh=False) as build:
        build.apply("ann", "merged", [kept], [merged_frame], ["b"])
        build.publish(GraphCounts.of([kept], [merged_frame]))
    with reading(store) as reader:
        assert list(reader.anchors("ann", ["b"])) == [kept]
        assert list(reader.anchors("ann", ["b", "a", "b"])) == [kept]
        assert list(reader.anchors_by_key("ann", ["b", "x"])) == [kept]
        assert list(reader.frames_around("ann", ["a"])) == [merged_frame]
        assert reader.frames_around("ann", ["b"]) == []
    with store.index.build(is_fresh=False) as build:
        build.apply("ann", "apart", apart if is_kept_first else apart[::-1], frames, [])
        build.publish(GraphCounts.of(apart, frames))
    with reading(store) as reader:
        assert list(reader.anchors("ann", ["b"])) == [apart[1]]
        assert list(reader.anchors("ann", ["a"])) == [apart[0]]
        assert list(reader.anchors_by_key("ann", ["x"])) == apart
        assert list(reader.anchors_by_key("ann", ["b"])) == [apart[1]]
        assert list(reader.frames_joining("ann", ["a", "b"])) == frames


# --- loading -------------------------------------------------------------------------------------


def some_graphs(n_frames: int = 60, users: Sequence[str] = ("ann", "bob")) -> Graphs:
    rng = random.Random(7)
    graphs = Graphs()
    for user in users:
        ids = [f"a{n}" for n in range(12)]
        frames = [
            make_frame(
                f"f{n}", *rng.sample(ids, 2 + n % 2), user_id=user, predicate=f"p{n % 3}", order=f"20{n % 30:02d}"
            )
            for n in range(n_frames)
        ]
        graphs.add(user, [make_anchor(anchor_id, user) for anchor_id in ids], frames)
    return graphs


def test_f05_loading_twice_changes_nothing(store: Store) -> None:
    """A run's time or id is no part of a graph's model, so nothing volatile can make a second edge."""
    graphs = some_graphs()
    load(store, graphs)
    before = sorted(store.index.entries())
    for is_fresh in (False, False, True):
        load(store, graphs, is_fresh=is_fresh)
        assert sorted(store.index.entries()) == before == graphs.entries()
        with reading(store) as reader:
            assert reader.counts() == graphs.counts()
            assert list(reader.frames_around("ann", ["a1"])) == graphs.ask("ann", "frames_around", ["a1"], None, 240)


def test_the_order_of_arrival_does_not_matter(store: Store) -> None:
    graphs = some_graphs()
    load(store, graphs)
    before = sorted(store.index.entries())
    store.clear()
    with store.index.build(is_fresh=True) as build:
        for user in reversed(graphs.users()):
            anchors, frames = graphs.of(user)
            build.apply(user, "part", anchors[::-1], frames[40:], [])
            build.apply(user, "whole", [], frames[:40][::-1], [])
        build.publish(graphs.counts())
    assert sorted(store.index.entries()) == before


def test_a_changed_frame_is_replaced_whole(store: Store) -> None:
    anchors = [make_anchor(name) for name in ("a", "b", "c")]
    load_one(store, anchors, [make_frame("f", "a", "b", citations=(make_citation("r1"), make_citation("r2")))])
    changed = make_frame(
        "f", "a", "c", predicate="hate", order="2027", citations=(make_citation("r3"),), fingerprint="2"
    )
    with store.index.build(is_fresh=False) as build:
        build.apply("ann", "changed", [], [changed], [])
        build.publish(GraphCounts.of(anchors, [changed]))
    with reading(store) as reader:
        assert reader.frames_around("ann", ["b"]) == []
        assert reader.frames_around("ann", ["a"], predicates=["like"]) == []
        assert reader.frames_citing("ann", ["r1", "r2"]) == []
        assert list(reader.frames_around("ann", ["c"])) == list(reader.frames_citing("ann", ["r3"])) == [changed]


class CutOffError(Exception):
    pass


def cut_off(frames: Sequence[Frame], after: int) -> Iterator[Frame]:
    yield from frames[:after]
    raise CutOffError


def apply_difference(build: GraphBuild, graphs: Graphs, user: str) -> int:
    """What the stage does: writes what differs from `present`, drops the rest; returns how much was written."""
    anchors, frames = graphs.of(user)
    stale = dict(build.present(user))
    anchors = [a for a in anchors if stale.pop(a.anchor_id, None) != a.fingerprint]
    frames = [f for f in frames if stale.pop(f.frame_id, None) != f.fingerprint]
    build.apply(user, "whole", anchors, frames, stale)
    return len(anchors) + len(frames)


def test_a_half_finished_load_resumes(store: Store) -> None:
    before, after = some_graphs(30), some_graphs(12_000)
    load(store, before, fingerprint="before")
    anchors, frames = after.of("ann")
    with pytest.raises(CutOffError), store.index.build(is_fresh=False) as build:
        build.apply("ann", "whole", anchors, cut_off(frames, 11_000), [])
    with store.index.build(is_fresh=False) as build:
        marks = build.users()
        assert marks["ann"] != "whole"
        assert marks["bob"] == "before"
        n_written = [apply_difference(build, after, user) for user in after.users()]
        assert n_written[1] == 11_970 + 0
        assert n_written[0] <= 12_000
        if not store.has_generations:
            assert n_written[0] < 8_000, "what was committed is not done again"
        build.publish(after.counts())
        assert store.has_generations or dict(build.users()) == {"ann": "whole", "bob": "whole"}
    assert sorted(store.index.entries()) == after.entries()
    with store.index.build(is_fresh=False) as build:
        assert build.users() == {"ann": "whole", "bob": "whole"}
        assert [apply_difference(build, after, user) for user in after.users()] == [0, 0]


def test_a_user_is_marked_whole_only_when_it_is(store: Store) -> None:
    """The lake may go back to what it was (an undone merge) while a load was cut off: the mark must not hold then."""
    old = some_graphs(20, ["ann"])
    new = some_graphs(6_000, ["ann"])
    load(store, old, fingerprint="old")
    with pytest.raises(CutOffError), store.index.build(is_fresh=False) as build:
        build.apply("ann", "new", [], cut_off(new.of("ann")[1], 5_990), [])
    with store.index.build(is_fresh=False) as build:
        held = dict(build.present("ann"))
        expected = {entry: print_ for _, entry, print_ in old.entries()}
        assert build.users()["ann"] == ("old" if held == expected else "")
        apply_difference(build, old, "ann")
        build.publish(old.counts())
    assert sorted(store.index.entries()) == old.entries()


def test_ids_and_users_are_dropped(store: Store) -> None:
    graphs = some_graphs(40)
    load(store, graphs)
    gone = [f"f{n}" for n in range(10)]
    for frame_id in gone:
        del graphs.frames["ann", frame_id]
    with store.index.build(is_fresh=False) as build:
        build.apply("ann", "fewer", [], [], [*gone, "never there"])
        build.publish(graphs.counts())
    assert sorted(store.index.entries()) == graphs.entries()
    with reading(store) as reader:
        assert reader.frames_citing("ann", [f"row of {frame_id}" for frame_id in gone]) == []
        assert len(reader.frames_citing("bob", [f"row of {frame_id}" for frame_id in gone])) == 10
    anchors, frames = graphs.of("ann")
    with store.index.build(is_fresh=False) as build:
        build.drop_user("bob")
        build.drop_user("nobody")
        assert list(build.users()) == ["ann"]
        assert build.present("bob") == {}
        build.publish(GraphCounts.of(anchors, frames))
    with reading(store) as reader:
        assert reader.user_anchors("bob") == []
        assert reader.counts("bob") == GraphCounts(0, 0, 0, 0, 0)
        assert reader.counts("ann") == reader.counts() == GraphCounts.of(anchors, frames)


def test_an_anchor_is_dropped_with_its_frames_but_not_from_one_that_stays(store: Store) -> None:
    anchors = [make_anchor("a"), make_anchor("b")]
    load_one(store, anchors, [make_frame("f", "a", "b")])
    with store.index.build(is_fresh=False) as build, pytest.raises(ValueError, match="can't be dropped"):
        build.apply("ann", "x", [], [], ["b"])
    with store.index.build(is_fresh=False) as build:
        build.apply("ann", "x", [], [], ["b", "f"])
        build.publish(GraphCounts.of(anchors[:1], []))
    with reading(store) as reader:
        assert reader.anchors("ann", ["b"]) == []
        assert reader.anchors_by_key("ann", ["b"]) == []


def test_a_fresh_build_holds_nothing_of_before(store: Store) -> None:
    load(store, some_graphs(40, ["ann", "bob", "eve"]))
    graphs = some_graphs(5)
    with store.index.build(is_fresh=True) as build:
        assert build.users() == {}
        assert build.present("ann") == {}
        for user in graphs.users():
            assert apply_difference(build, graphs, user) == 17
        assert dict(build.users()) == {"ann": "whole", "bob": "whole"}
        build.publish(graphs.counts())
    assert sorted(store.index.entries()) == graphs.entries()


@pytest.mark.parametrize("name", ["n_anchors", "n_frames", "n_roles", "n_citations", "checksum"])
def test_a_difference_from_the_lake_fails_and_is_not_published(store: Store, name: str) -> None:
    graphs = some_graphs(10)
    before = load(store, graphs)
    counts = graphs.counts()
    wrong = replace(counts, **{name: getattr(counts, name) + 1})
    with store.index.build(is_fresh=False) as build, pytest.raises(RuntimeError, match=name.removeprefix("n_")):
        build.publish(wrong)
    assert store.index.published() == before
    with store.index.build(is_fresh=False) as build:
        build.publish(replace(counts, checksum=None))


# --- what no store could hold --------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes", [{"anchor_id": ""}, {"name": ""}, {"name": None}, {"keys": ("a", "")}, {"type": ""}]
)
def test_f04_an_empty_key_is_refused_before_its_batch(store: Store, changes: dict[str, Any]) -> None:
    """Rows without a name are rejects of the stage that reads names; one that comes as far as here is an error."""
    with store.index.build(is_fresh=True) as build:
        with pytest.raises(ValueError, match="missing_key"):
            build.apply("ann", "x", [make_anchor("good"), replace(make_anchor("bad"), **changes)], [], [])
        assert build.users().get("ann", "") == ""
        assert build.present("ann") == {}
        build.apply("ann", "x", [make_anchor("good")], [], [])
        build.publish(GraphCounts.of([make_anchor("good")], []))


BAD_FRAMES = {
    "another user": make_frame("f", "a", user_id="bob"),
    "missing_key": make_frame("f", "a", predicate=""),
    "no role": make_frame("f"),
    "not there": make_frame("f", "a", "nobody"),
    "twice": make_frame("f", roles=(FrameRole("agent", "a", "a"), FrameRole("agent", "a", "a"))),
    "cites one record twice": make_frame("f", "a", citations=(make_citation("r"), make_citation("r"))),
}


@pytest.mark.parametrize("error", BAD_FRAMES)
def test_a_frame_that_no_store_could_hold_is_refused(store: Store, error: str) -> None:
    with store.index.build(is_fresh=True) as build:
        with pytest.raises(ValueError, match=error):
            build.apply("ann", "x", [make_anchor("a")], [make_frame("g", "a"), BAD_FRAMES[error]], [])
        assert "f" not in build.present("ann")
        assert build.users().get("ann", "") == ""


def test_an_anchor_of_another_user_is_refused(store: Store) -> None:
    with store.index.build(is_fresh=True) as build, pytest.raises(ValueError, match="another user"):
        build.apply("ann", "x", [make_anchor("a", "bob")], [], [])


def test_f07_long_texts_are_refused_and_large_rows_are_loaded_in_parts(store: Store) -> None:
    long = "x" * 20_000_000
    with store.index.build(is_fresh=True) as build, pytest.raises(ValueError, match="20000000 bytes"):
        build.apply("ann", "x", [make_anchor("a", name=long)], [], [])
    citations = tuple(make_citation(f"r{n:04d}", attributes=(("note", "x" * 1_000),)) for n in range(5_000))
    anchors, frames = [make_anchor("a")], [make_frame(f"f{n}", "a", citations=citations) for n in range(3)]
    load_one(store, anchors, frames)
    with reading(store) as reader:
        assert list(reader.frames_citing("ann", ["r4999"])) == frames


def test_f08_times_are_civil_and_stay_as_they_are_when_saved_again(store: Store) -> None:
    """No zone is stored, so an instant can't have two forms: the same text orders and compares the same for ever."""
    times = ["2031-01-11T00:00", "2031-01-10T23:59", "2031-01-11T00:01", "2031-01-11"]
    frames = [
        make_frame(f"f{n}", "a", order=time, citations=(make_citation("r", event_start=time, event_end=time),))
        for n, time in enumerate(times)
    ]
    for _ in range(2):
        load_one(store, [make_anchor("a")], frames)
        with reading(store) as reader:
            frames = list(reader.frames_around("ann", ["a"]))
        assert [f.order for f in frames] == sorted(times, reverse=True)
        assert [f.citations[0].event_end for f in frames] == sorted(times, reverse=True)


# --- publishing ----------------------------------------------------------------------------------


def test_before_the_first_there_is_nothing_to_read(store: Store) -> None:
    assert store.index.published() is None
    assert list(store.index.entries()) == []
    with pytest.raises(LookupError):
        store.index.reader()
    name = load(store, Graphs())
    assert store.index.published() == name
    with reading(store) as reader:
        assert reader.generation == name
        assert reader.counts() == GraphCounts(0, 0, 0, 0, 0)


def test_each_publication_has_a_name_of_its_own(store: Store) -> None:
    graphs = some_graphs(3)
    names = [load(store, graphs, is_fresh=False) for _ in range(3)]
    assert len(set(names)) == 3
    assert store.index.published() == names[-1]


def test_an_abandoned_build_is_not_published(store: Store) -> None:
    graphs = some_graphs(10)
    name = load(store, graphs)
    with pytest.raises(KeyError), store.index.build(is_fresh=False) as build:
        build.drop_user("bob")
        raise KeyError
    build.abandon()
    assert store.index.published() == name
    if store.has_generations:
        assert sorted(store.index.entries()) == graphs.entries()


def test_a_reader_keeps_its_generation(store: Store) -> None:
    if not store.has_generations:
        pytest.skip("a server has no generations: readers see what is committed")
    load(store, some_graphs(10))
    reader = store.index.reader()
    assert reader.generation == store.index.published()
    with pytest.raises(LockConflictError), store.index.build(is_fresh=False):
        store.index.build(is_fresh=False)
    load(store, some_graphs(20), is_fresh=False)
    assert reader.generation != store.index.published()
    assert reader.counts("ann").n_frames == 10
    with reading(store) as later:
        assert later.counts("ann").n_frames == 20
    reader.close()
    reader.close()


def test_threads_share_a_reader_and_a_build(store: Store) -> None:
    users = [f"user {n}" for n in range(4)]
    graphs = some_graphs(200, users)
    errors: list[BaseException] = []

    def together(work: Callable[[str], None]) -> None:
        def run(user: str) -> None:
            try:
                work(user)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=run, args=(user,)) for user in users]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []

    with store.index.build(is_fresh=True) as build:
        together(lambda user: build.apply(user, "whole", *graphs.of(user), []))
        build.publish(graphs.counts())
    with reading(store) as reader:

        def read(user: str) -> None:
            for n in range(12):
                found = list(reader.frames_around(user, [f"a{n}"]))
                assert found == graphs.ask(user, "frames_around", [f"a{n}"], None, 240)

        together(read)


# --- users are walls -----------------------------------------------------------------------------


@pytest.mark.parametrize("user", ["", " ", "\t\n"])
def test_an_empty_user_is_an_error(store: Store, user: str) -> None:
    load_one(store, [make_anchor("a")], [])
    with reading(store) as reader:
        for name in ("anchors", "anchors_by_key", "frames", "frames_around", "frames_joining", "frames_citing"):
            with pytest.raises(ValueError, match="user"):
                ask(reader, user, name, ["a"])
        for call in (reader.user_anchors, reader.counts):
            with pytest.raises(ValueError, match="user"):
                call(user)
    with store.index.build(is_fresh=False) as build:
        for change in (build.present, build.drop_user, lambda user: build.apply(user, "x", [], [], [])):
            with pytest.raises(ValueError, match="user"):
                change(user)


def random_graphs(rng: random.Random, users: Sequence[str], ids: Sequence[str], n_frames: int) -> Graphs:
    """Graphs in which users, anchors, frames, keys, records and predicates have the same names."""
    graphs = Graphs()
    for number, user in enumerate(users):
        kept = rng.sample(ids, rng.randint(1, len(ids)))
        merged = [name for name in ids if name not in kept]
        owner = {name: rng.choice(kept) for name in merged}
        anchors = [
            make_anchor(
                f"a{name}",
                user,
                name=f"user {number}: {name}",
                keys=tuple(sorted(rng.sample(ids, rng.randint(1, 3)))),
                members=tuple(sorted([f"a{name}", *(f"a{other}" for other in merged if owner[other] == name)])),
                degree=rng.randint(0, 50),
            )
            for name in kept
        ]
        frames = []
        for frame_number in range(rng.randint(0, n_frames)):
            written = {(rng.choice("xyz"), f"a{rng.choice(ids)}") for _ in range(rng.randint(1, 4))}
            keeps = {member: anchor.anchor_id for anchor in anchors for member in anchor.members}
            roles = tuple(FrameRole(role, keeps[name], name) for role, name in sorted(written))
            cited = sorted(rng.sample(ids, rng.randint(0, 2)))
            frames.append(
                make_frame(
                    f"f{frame_number % 5}{ids[frame_number % len(ids)]}{frame_number}",
                    user_id=user,
                    predicate=rng.choice(ids[:4]),
                    order=rng.choice(["", "2026", "2026-01", "2026-01-01", "é", "\uffff", "𝒳"]),
                    roles=roles,
                    citations=tuple(make_citation(row, modality=f"user {number}") for row in cited),
                )
            )
        graphs.add(user, map(printed, anchors), map(printed, frames))
    return graphs


def printed(part: Any) -> Any:
    """With a fingerprint of its content."""
    return replace(part, fingerprint=hashlib.md5(repr(part).encode()).hexdigest())


def random_question(rng: random.Random, graphs: Graphs, ids: Sequence[str]) -> tuple[str, list[str], list[Any]]:
    name = rng.choice(["anchors", "anchors_by_key", "frames", "frames_around", "frames_joining", "frames_citing"])
    frame_ids = sorted({frame_id for _, frame_id in graphs.frames})
    pool = {"anchors_by_key": list(ids), "frames_citing": list(ids), "frames": frame_ids or ["f"]}
    values = pool.get(name, [f"a{text}" for text in ids])
    n_values = rng.randint(0, 3) if name == "frames_joining" else rng.randint(0, 6)
    chosen = [rng.choice(values) for _ in range(n_values)]
    if name not in ("frames_around", "frames_joining"):
        return name, chosen, []
    predicates = rng.choice([None, None, [], [rng.choice(ids[:4])], list(ids[:2])])
    return name, chosen, [predicates, rng.choice([1, 2, 5, 240])]


def test_1000_questions_of_adversarial_users_give_no_row_of_another(store: Store) -> None:
    rng = random.Random(20)
    users = [text for text in NASTY if text.strip()]
    graphs = random_graphs(rng, users, NASTY[:12], 30)
    load(store, graphs)
    n_rows = 0
    with reading(store) as reader:
        for _ in range(1_000):
            user = rng.choice([*users, "nobody", "a\x00\x00", "A"])
            name, values, options = random_question(rng, graphs, NASTY[:12])
            found = ask(reader, user, name, values, *options)
            assert found == graphs.ask(user, name, values, *options), (user, name, values, options)
            n_rows += len(found)
        for user in users:
            assert list(reader.user_anchors(user)) == graphs.of(user)[0]
            assert reader.counts(user) == GraphCounts.of(*graphs.of(user))
    assert n_rows > 1_000


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    users=st.lists(texts.filter(str.strip), min_size=1, max_size=3, unique=True),
    ids=st.lists(texts, min_size=4, max_size=8, unique=True),
    seed=st.integers(0, 2**32),
)
def test_a_store_answers_as_looking_at_everything_does(
    store: Store, users: list[str], ids: list[str], seed: int
) -> None:
    rng = random.Random(seed)
    store.clear()
    load(store, random_graphs(rng, users, ids, 8))
    graphs = random_graphs(rng, users, ids, 12)
    with store.index.build(is_fresh=False) as build:
        for user in users:
            apply_difference(build, graphs, user)
        build.publish(graphs.counts())
    assert sorted(store.index.entries()) == graphs.entries()
    with reading(store) as reader:
        for _ in range(12):
            user = rng.choice(users)
            name, values, options = random_question(rng, graphs, ids)
            found = ask(reader, user, name, values, *options)
            assert found == graphs.ask(user, name, values, *options), (user, name, values, options)
