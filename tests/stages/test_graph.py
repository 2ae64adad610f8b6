"""From assertions to a graph: identity of anchors and frames, merges and splits, loading and undoing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from scripted_extractor import ScriptedExtractor
from small_home import Home, line, write

from hypermnesia.graph_view import UserGraph
from hypermnesia.stages.decisions import Decisions

AT = datetime(2025, 6, 1, tzinfo=UTC)


def told(root: Path, *texts: str, name: str = "a.jsonl", user: str = "ann", first: int = 0) -> Path:
    lines = (line(f"{user}-{first + n}", text, 10 * (first + n), user=user) for n, text in enumerate(texts))
    return write(root / name, *lines)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.extractor = ScriptedExtractor()
    return made


def names(graph: UserGraph) -> dict[str, tuple[str, ...]]:
    return {anchor.name: anchor.aliases for anchor in graph.anchors}


def says(graph: UserGraph) -> list[str]:
    known = {anchor.anchor_id: anchor.name for anchor in graph.anchors}
    return sorted(
        f"{f.predicate}({', '.join(f'{r.role} {known[r.anchor_id]}' for r in f.roles)}) x{len(f.citations)}"
        for f in graph.frames
    )


def test_repeated_support_of_a_fact_is_one_frame_and_two_days_are_two_events(home: Home, tmp_path: Path) -> None:
    home.run(
        told(
            tmp_path,
            "fact lives_in agent=person:Anna place=location:Lisbon",
            "fact lives_in agent=person:anna place=location:Lisbon",
            "run agent=person:Anna place=location:park @2024-05-01",
            "run agent=person:Anna place=location:park @2024-05-02",
            "run agent=person:Anna place=location:park @2024-05-02 planned",
            "run agent=person:Anna place=location:park",
            "run agent=person:Anna place=location:park",
        )
    )
    graph = home.graphs()["ann"]
    assert says(graph) == [
        "lives_in(agent Anna, place Lisbon) x4",  # two episodic and two semantic records
        "run(agent Anna, place park) x1",  # 1 May
        "run(agent Anna, place park) x1",  # no day: its own record
        "run(agent Anna, place park) x1",
        "run(agent Anna, place park) x2",  # 2 May, planned and done
    ]
    assert names(graph)["Anna"] == ("Anna", "anna")


def test_jordan_the_person_is_not_jordan_the_country(home: Home, tmp_path: Path) -> None:
    home.run(told(tmp_path, "go agent=person:Jordan place=location:Jordan", "see agent=person:Jordan object=object:x"))
    assert sorted(a.type for a in home.graphs()["ann"].anchors if a.name == "Jordan") == ["location", "person"]


def test_one_anchor_is_no_frame_and_a_generic_word_no_anchor(home: Home, tmp_path: Path) -> None:
    counts = home.run(
        told(tmp_path, "like agent=person:Anna object=person:Anna", "need agent=person:Anna object=object:thing")
    )
    assert home.rows("assertions") == []
    assert counts["extract"].reasons == {"frame_of_one_anchor": 2, "name_without_anchor": 1}


ALIASES = (
    "fact work agent=person:Anna_Kowalska place=organization:Acme",
    "fact work agent=person:Dr_Anna_Kowalska place=organization:Acme_Inc.",
    "fact work agent=person:Anna_Kowalski place=organization:Globex_GmbH",
)


def test_write_time_attaches_only_on_accepting_rules(home: Home, tmp_path: Path) -> None:
    counts = home.run(told(tmp_path, *ALIASES))
    graph = home.graphs()["ann"]
    assert names(graph)["Anna Kowalska"] == ("Anna Kowalska", "Dr Anna Kowalska")
    assert "Anna Kowalski" in names(graph)
    assert counts["resolve"].n_in == 6
    assert counts["resolve"].n_merged == len(home.rows("merges")) == 2
    assert all(row["judge"] == "string" and row["run_id"] for row in home.rows("merges"))


def test_an_alias_that_comes_later_finds_the_kept_anchor_in_any_order(tmp_path: Path) -> None:
    graphs = []
    for order in (ALIASES, tuple(reversed(ALIASES))):
        home = Home(tmp_path / order[0][-4:])
        home.extractor = ScriptedExtractor()
        lines = {text: line(str(n), text, 10 * n) for n, text in enumerate(ALIASES)}
        for number, text in enumerate(order):
            home.run(write(tmp_path / order[0][-4:] / f"{number}.jsonl", lines[text]))
        home.load_graph()
        graphs.append((home.digest()["view"], home.digest()["graph"]))
    assert graphs[0] == graphs[1]


def test_loading_twice_changes_nothing_and_a_change_loads_what_it_touches(home: Home, tmp_path: Path) -> None:
    home.run(
        told(tmp_path, *ALIASES), told(tmp_path, "meet agent=person:Bo place=location:Rome", name="b.jsonl", user="bob")
    )
    first = home.load_graph()
    published = home.graph.published()
    again = home.load_graph()
    assert (first.n_merged, again.n_out) == (0, 0)
    assert home.graph.published() == published
    home.run(told(tmp_path, "meet agent=person:Bo place=location:Oslo", name="c.jsonl", user="bob", first=1))
    changed = home.load_graph()
    assert changed.n_out == 3  # a place, a frame, and Bo, who has one frame more
    fresh = Home(tmp_path / "home")
    fresh.extractor = home.extractor
    before = home.digest()["graph"]
    fresh.load_graph(is_fresh=True)
    assert fresh.digest()["graph"] == before


def test_undo_gives_the_graph_from_before_also_after_later_merges(home: Home, tmp_path: Path) -> None:
    home.run(told(tmp_path, ALIASES[0], ALIASES[2]))
    home.load_graph()
    before = home.digest()["graph"]
    home.run(told(tmp_path, ALIASES[1], name="b.jsonl", first=7))
    made = Decisions(home.lake, home.identity)
    person, company = (
        next(row for row in made.of_user("ann") if row["anchor_type"] == kind) for kind in ("person", "organization")
    )
    whole = home.graphs()["ann"]
    assert made.undo([person["decision_id"]], "two people", "run-u", AT) == 1
    home.load_graph()
    apart = home.graphs()["ann"]
    assert len(apart.anchors) == len(whole.anchors) + 1
    assert names(apart)["Acme"] == ("Acme", "Acme Inc.")
    home.run(told(tmp_path, ALIASES[0], name="c.jsonl", first=20))  # judged again, still apart
    assert made.undo([person["decision_id"]], "again", "run-v", AT) == 0
    undoing = next(row for row in made.of_user("ann") if row["decision"] == "undone")
    assert made.undo([undoing["decision_id"]], "they are one after all", "run-w", AT) == 1
    assert names(home.graphs()["ann"])["Anna Kowalska"] == ("Anna Kowalska", "Dr Anna Kowalska")
    assert company["is_in_force"]
    assert before != home.digest()["graph"]


def test_a_block_holds_for_good(home: Home, tmp_path: Path) -> None:
    home.run(told(tmp_path, *ALIASES))
    made = Decisions(home.lake, home.identity)
    row = next(row for row in made.of_user("ann") if row["anchor_type"] == "person")
    assert made.forbid("ann", row["left_id"], row["right_id"], "two people", "run-b", AT) == 1
    home.run(told(tmp_path, ALIASES[1], name="d.jsonl", first=9))
    home.night()
    assert "Dr Anna Kowalska" in names(home.graphs()["ann"])
    with pytest.raises(LookupError, match="no anchor anc_x"):
        made.forbid("ann", "anc_x", row["right_id"], "", "run-b", AT)


def test_a_split_divides_an_anchor_that_holds_two(home: Home, tmp_path: Path) -> None:
    texts = (
        "fact work agent=person:John_Smith place=organization:Acme",
        "fact work agent=person:John_Smith place=organization:Globex",
    )
    home.run(told(tmp_path, *texts))
    before = home.graphs()["ann"].fingerprint
    made = Decisions(home.lake, home.identity)
    globex = {row["row_id"] for row in home.rows("records") if "Globex" in row["text"]}
    mentions = [m for m in home.rows("mentions") if m["surface"] == "John Smith" and m["row_id"] in globex]
    apart = made.split("ann", mentions[0]["anchor_id"], [m["mention_id"] for m in mentions], "two men", "run-s", AT)
    graph = home.graphs()["ann"]
    johns = [a for a in graph.anchors if a.name == "John Smith"]
    assert sorted(a.anchor_id for a in johns) == sorted([mentions[0]["anchor_id"], apart])
    assert all(a.degree == 1 for a in johns)
    home.night()
    assert len([a for a in home.graphs()["ann"].anchors if a.name == "John Smith"]) == 2
    split = next(row for row in made.of_user("ann") if row["decision"] == "split")
    made.undo([split["decision_id"]], "one man", "run-t", AT)
    assert home.graphs()["ann"].fingerprint == before
    with pytest.raises(LookupError, match="is no mention of"):
        made.split("ann", mentions[0]["anchor_id"], ["men_x"], "", "run-s", AT)


def test_a_bare_first_name_is_linked_mention_by_mention_and_never_merged(home: Home, tmp_path: Path) -> None:
    home.run(
        told(
            tmp_path,
            "meet agent=person:Anna_Kowalska place=location:Rome",
            "call agent=person:Anna recipient=person:Bo_Lind",
        )
    )
    graph = home.graphs()["ann"]
    assert {"Anna", "Anna Kowalska"} <= set(names(graph))
    (linked,) = [row for row in home.rows("merges") if row["decision"] == "linked"]
    assert (linked["left_name"], linked["right_name"]) == ("Anna", "Anna Kowalska")
    assert 0 < linked["score"] < 1
    assert len(linked["mention_ids"]) == 1


def test_nothing_crosses_users(home: Home, tmp_path: Path) -> None:
    home.run(
        told(tmp_path, "work agent=person:Anna_Kowalska place=organization:Acme", user="ann"),
        told(tmp_path, "work agent=person:Dr_Anna_Kowalska place=organization:Acme", name="b.jsonl", user="an"),
    )
    home.night()
    assert home.rows("merges") == []
    graphs = home.graphs()
    assert {a.anchor_id for a in graphs["ann"].anchors}.isdisjoint(a.anchor_id for a in graphs["an"].anchors)


def test_a_night_merges_what_came_since_the_last_one_and_runs_twice_to_the_same(home: Home, tmp_path: Path) -> None:
    home.run(
        told(
            tmp_path,
            "fact like agent=person:Bo_Lind object=concept:hiking_boot",
            "fact like agent=person:Bo_Lind object=concept:hiking_boots",
        )
    )
    assert home.rows("merges") == []  # plurals are no rule of writing
    counts = home.night()
    assert counts.n_in == counts.n_out > 0
    assert [row["rule"] for row in home.rows("merges")] == ["plural"]
    view = home.digest()["view"]
    home.night()
    assert home.digest()["view"] == view
    assert home.night(since=datetime(2999, 1, 1, tzinfo=UTC)).n_in == 0


def test_pairs_over_the_budget_wait_for_the_next_night(home: Home, tmp_path: Path) -> None:
    texts = [f"fact like agent=person:Bo_Lind object=concept:paper{n}_plate" for n in range(3)]
    texts += [
        f"fact like agent=person:Bo_Lind object=concept:{a}{b}_glass_box" for a in "abcdefghijklmno" for b in "xyz"
    ]
    texts += [
        f"fact like agent=person:Bo_Lind object=concept:{a}{b}_glass_boxes" for a in "abcdefghijklmno" for b in "xyz"
    ]
    texts += [
        f"fact like agent=person:Kim_{chr(97 + n)}{chr(97 + m)}on object=concept:x" for n in range(12) for m in range(3)
    ]
    home.run(told(tmp_path, *texts))
    first = home.night()
    waiting = [row for row in home.rows("merges") if row["decision"] == "deferred"]
    assert first.n_deferred == len(waiting) > 0
    last = datetime(2999, 1, 1, tzinfo=UTC)
    second = home.night(since=last)
    assert second.n_out > 0  # nothing is new, those that waited are judged
