"""Field failures of area G through the stages; facts that divide; nights that are stale or run at once."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest
from scripted_extractor import ScriptedExtractor
from small_home import ACTIVE, HashEmbedder, Home, Row, Silent, line, write

from hypermnesia.contracts.tables import MERGES
from hypermnesia.engine.commits import Committer, Finished
from hypermnesia.engine.inline import InlineExecutor
from hypermnesia.engine.run import run_stage
from hypermnesia.graph_view import UserGraph
from hypermnesia.ports import Anchor, Shard, Stage
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.identity import bucket_of
from hypermnesia.stages.decisions import Decisions
from hypermnesia.stages.merge_entities import MergeEntities

AT = datetime(2031, 6, 1, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path / "home")


def new_home(root: Path) -> Home:
    made = Home(root)
    made.extractor = ScriptedExtractor()
    return made


def tell(home: Home, root: Path, *texts: str, conversation: str = "c") -> None:
    """Texts as one conversation, a message each; their ids are those of their words."""
    lines = [line(f"{conversation}-{text}", text, 10 * n, conversation=conversation) for n, text in enumerate(texts)]
    home.run(write(root / f"{conversation}.jsonl", *lines))


def likes(kind: str, *names: str) -> list[str]:
    return [f"fact like agent=person:Bo_Lind object={kind}:{name.replace(' ', '_')}" for name in names]


def of_type(graph: UserGraph, kind: str) -> list[Anchor]:
    return [anchor for anchor in graph.anchors if anchor.type == kind and anchor.name != "Bo Lind"]


def names(anchors: Iterable[Anchor]) -> list[tuple[str, ...]]:
    return sorted(anchor.aliases for anchor in anchors)


def decide_same(home: Home, left: Anchor, right: Anchor, judge: str, at: datetime) -> str:
    """A decision as a model's or person's pass writes it."""
    first, second = sorted((left.anchor_id, right.anchor_id))
    decision_id = home.identity.make("decision", "ann", "same", first, second, judge, at.isoformat())
    row: Row = {
        "user_id": "ann", "bucket": bucket_of("ann", home.lake.n_buckets), "shard_id": "x", "decision_id": decision_id,
        "decision": "same", "anchor_type": left.type, "left_id": first, "right_id": second, "left_name": left.name,
        "right_name": right.name, "mention_ids": [], "judge": judge, "round": "nightly", "run_id": "run-m",
        "decided_at": at,
    }  # fmt: skip
    home.lake.open("merges").append(MERGES.table([row]), [f"test/{decision_id}"])
    return decision_id


# --- area G --------------------------------------------------------------------------------------


def test_g01_a_first_name_bridges_nobody_and_its_mention_is_unresolved(home: Home, tmp_path: Path) -> None:
    tell(
        home,
        tmp_path,
        "fact run agent=person:Robin_Moreau object=concept:choir",
        "fix agent=person:Robin_Okafor object=object:bike",
        "call agent=person:Robin recipient=person:Bo_Lind",
        "fact hire agent=organization:Robin_Moreau object=person:Bo_Lind",
    )
    home.night()
    graph = home.graphs()["ann"]
    assert names(of_type(graph, "person")) == [("Robin",), ("Robin Moreau",), ("Robin Okafor",)]
    assert names(of_type(graph, "organization")) == [("Robin Moreau",)]
    assert home.rows("merges") == []  # neither merged nor linked: two names of the session fit
    kept = {a.anchor_id: a for a in graph.anchors}
    for frame in graph.frames:
        stand = {kept[role.anchor_id].name for role in frame.roles if kept[role.anchor_id].type == "person"}
        assert len([name for name in stand if name.startswith("Robin")]) <= 1


def test_g02_one_character_is_another_thing_by_day_and_by_night(home: Home, tmp_path: Path) -> None:
    things = ["Maintenance Ticket MT-2031-0417", "Maintenance Ticket MT-2031-0418", "iPhone 12", "iPhone 12 Pro"]
    things += ["Quarterly Review Meeting 2031-03-01", "Quarterly Review Meeting 2031-03-02"]
    tell(home, tmp_path, *likes("object", *things))
    counts = home.night()
    assert len(of_type(home.graphs()["ann"], "object")) == 6
    assert home.rows("merges") == []
    assert counts.reasons["different"] >= 3


def test_g04_only_pairs_that_were_judged_join(home: Home, tmp_path: Path) -> None:
    tell(home, tmp_path, *likes("object", "Ledger Importer"), conversation="chat-4")
    tell(home, tmp_path, *(f"{t} again=1" for t in likes("object", "Ledger Importer")), conversation="chat-9")
    tell(home, tmp_path, *likes("object", "Ledger Importr"), conversation="chat-12")
    made = Decisions(home.lake, home.identity)
    later = {r["row_id"] for r in home.rows("records") if "again" in r["text"]}
    mentions = [m for m in home.rows("mentions") if m["surface"] == "Ledger Importer" and m["row_id"] in later]
    made.split("ann", mentions[0]["anchor_id"], [m["mention_id"] for m in mentions], "two tools", "run-s", AT)
    home.night()
    apart = of_type(home.graphs()["ann"], "object")
    assert names(apart) == [("Ledger Importer",), ("Ledger Importer",), ("Ledger Importr",)]
    first = next(a for a in apart if a.anchor_id == mentions[0]["anchor_id"])
    decide_same(home, first, next(a for a in apart if a.name == "Ledger Importr"), "person", AT)
    assert names(of_type(home.graphs()["ann"], "object")) == [
        ("Ledger Importer",),
        ("Ledger Importer", "Ledger Importr"),
    ]


def test_g05_names_in_other_scripts_keep_their_keys(home: Home, tmp_path: Path) -> None:
    tell(
        home,
        tmp_path,
        *likes("organization", "茶壶", "雨伞", "京都 Library", "奈良 Library", "하늘 서점", "하늘서점"),
        *likes("person", "Renée", "Renee"),
    )
    home.night()
    graph = home.graphs()["ann"]
    assert names(of_type(graph, "organization")) == sorted(
        [("茶壶",), ("雨伞",), ("京都 Library",), ("奈良 Library",), ("하늘 서점", "하늘서점")]
    )
    assert names(of_type(graph, "person")) == [("Renee",), ("Renée",)]


def test_g07_a_merge_is_undone_exactly_and_a_block_survives_later_nights(home: Home, tmp_path: Path) -> None:
    tell(home, tmp_path, *likes("person", "Dana K.", "Dana Kim"))
    home.load_graph()
    before, digest = home.graphs()["ann"], home.digest()["graph"]
    short, long = (next(a for a in before.anchors if a.name == name) for name in ("Dana K.", "Dana Kim"))
    decision_id = decide_same(home, short, long, "model", AT)
    home.load_graph()
    assert ("Dana K.", "Dana Kim") in names(home.graphs()["ann"].anchors)
    made = Decisions(home.lake, home.identity)
    made.undo([decision_id], "two people", "run-u", AT)
    home.load_graph()
    assert home.digest()["graph"] == digest
    made.forbid("ann", short.anchor_id, long.anchor_id, "two people", "run-b", AT)
    decide_same(home, short, long, "model", AT + timedelta(days=365))
    home.night()
    assert home.graphs()["ann"].fingerprint == before.fingerprint


def test_g08_one_name_of_one_type_is_one_and_of_two_types_two(home: Home, tmp_path: Path) -> None:
    texts = [*likes("organization", "QVRA"), *(f"{t} again=1" for t in likes("organization", "qvra"))]
    tell(home, tmp_path, *texts, *likes("concept", "QVRA"))
    home.night()
    graph = home.graphs()["ann"]
    assert names(of_type(graph, "organization")) == [("QVRA", "qvra")]
    assert names(of_type(graph, "concept")) == [("QVRA",)]


def test_g10_the_kept_anchor_is_the_same_in_every_order_and_its_aliases_find_it(tmp_path: Path) -> None:
    texts = likes("organization", "Harrow Tools", "Harrow Tools Inc.", "Harrow Tools, Inc.")
    found = set()
    for number, order in enumerate(permutations(texts)):
        home = new_home(tmp_path / str(number))
        for text in order:
            tell(home, tmp_path / str(number), text, conversation=str(texts.index(text)))
        home.night()
        home.load_graph(is_fresh=bool(number % 2))
        (kept,) = of_type(home.graphs()["ann"], "organization")
        found.add((kept.anchor_id, kept.name, kept.aliases, home.digest()["graph"]))
        reader = home.graph.reader()
        for alias in kept.aliases:
            assert reader.anchors_by_key("ann", [anchor_key(alias) or ""])[0] == kept
        for member in kept.members:
            assert list(reader.anchors("ann", [member])) == [kept]
        reader.close()
    assert len(found) == 1


def test_g10_decisions_in_a_circle_are_one_merge(home: Home, tmp_path: Path) -> None:
    tell(home, tmp_path, *likes("person", "Dana K.", "Dana Kim"))
    short, long = (next(a for a in home.graphs()["ann"].anchors if a.name == n) for n in ("Dana K.", "Dana Kim"))
    decide_same(home, short, long, "model", AT)
    once = home.graphs()["ann"].fingerprint
    decide_same(home, long, short, "model", AT + timedelta(days=1))
    assert home.graphs()["ann"].fingerprint == once


# --- facts ---------------------------------------------------------------------------------------

BORN = (
    "fact birthday agent=person:John_Smith value=1990-05-01",
    "fact work agent=person:John_Smith place=organization:Acme",
)
BORN_OTHER = (
    "fact know agent=person:John_Smith object=person:Bo_Lind birth_date=1984-12-24",
    "fact work agent=person:John_Smith place=organization:Globex",
)


def test_an_anchor_whose_facts_conflict_is_divided_by_them_and_undo_gives_it_back(home: Home, tmp_path: Path) -> None:
    tell(home, tmp_path, *BORN, conversation="a")
    tell(home, tmp_path, *BORN_OTHER, conversation="b")
    before = home.graphs()["ann"]
    (john,) = [a for a in before.anchors if a.name == "John Smith"]
    made = Decisions(home.lake, home.identity)
    (apart,) = made.split_by_facts("ann", john.anchor_id, ACTIVE, "two men", "run-s", AT)
    graph = home.graphs()["ann"]
    known = {a.anchor_id: a.name for a in graph.anchors}
    stand = [{role.role: role.anchor_id for role in f.roles} for f in graph.frames if f.predicate == "work"]
    said = {roles["agent"]: known[roles["place"]] for roles in stand}
    assert sorted(said.values()) == ["Acme", "Globex"]
    assert set(said) == {john.anchor_id, apart}
    with pytest.raises(LookupError, match="no fact says"):
        made.split_by_facts("ann", john.anchor_id, ACTIVE, "again", "run-t", AT)
    split = next(row for row in made.of_user("ann") if row["decision"] == "split")
    assert split["reason"].startswith("two men (birth_date ")
    made.undo([split["decision_id"]], "one man", "run-u", AT)
    assert home.graphs()["ann"].fingerprint == before.fingerprint


def test_facts_keep_apart_what_names_would_join_also_where_they_come_later(home: Home, tmp_path: Path) -> None:
    tell(home, tmp_path, *BORN, conversation="a")
    tell(home, tmp_path, "fact work agent=person:Dr_John_Smith place=organization:Globex", conversation="b")
    assert ("Dr John Smith", "John Smith") in names(home.graphs()["ann"].anchors)
    tell(home, tmp_path, "fact birthday agent=person:Dr_John_Smith value=1984-12-24", conversation="d")
    home.night()
    assert {("Dr John Smith",), ("John Smith",)} <= set(names(home.graphs()["ann"].anchors))


# --- nights that are stale, or run at once -------------------------------------------------------


class Between(InlineExecutor):
    """Another night runs, whole, between this one's plan and its commits."""

    def __init__(self, other: Stage, home: Home) -> None:
        self._other = other
        self._home = home

    def run(self, stage: Stage, shards: Iterable[Shard]) -> Iterator[Finished]:
        planned = list(shards)
        run_stage(self._other, Committer(self._home.lake, self._other, "run-fast"), InlineExecutor(), Silent())
        yield from super().run(stage, planned)


def night_of(home: Home) -> MergeEntities:
    return MergeEntities(home.lake, home.identity, ACTIVE, HashEmbedder.model, 2_000)


def test_a_stale_night_applies_nothing_twice(home: Home, tmp_path: Path) -> None:
    tell(home, tmp_path, *likes("concept", "hiking boot", "hiking boots", "paper plate", "paper plates"))
    slow = night_of(home)
    run_stage(slow, Committer(home.lake, slow, "run-slow"), Between(night_of(home), home), Silent())
    rows = home.rows("merges")
    assert sorted(row["rule"] for row in rows) == ["plural", "plural"]
    assert {row["run_id"] for row in rows} == {"run-fast"}
    once = home.graphs()["ann"].fingerprint
    made = Decisions(home.lake, home.identity)
    assert made.undo_run("run-fast", "rolled back", "run-r", AT) == 2
    stale = night_of(home)
    run_stage(stale, Committer(home.lake, stale, "run-late"), InlineExecutor(), Silent())
    assert len(home.rows("merges")) == 4, "what was taken back stays so"
    assert home.graphs()["ann"].fingerprint != once


def test_nights_in_any_order_of_users_and_rounds_decide_the_same(tmp_path: Path) -> None:
    texts = likes("concept", "hiking boot", "hiking boots", "paper plate", "paper plates", "tea cup", "tea cups")
    found = set()
    for number in range(3):
        home = new_home(tmp_path / str(number))
        tell(home, tmp_path / str(number), *random.Random(number).sample(texts, len(texts)))
        home.night(rounds="stream" if number else "nightly")
        found.add(tuple(sorted(row["decision_id"] for row in home.rows("merges"))))
    assert len(found) == 1
