"""A night is published only where its probes do not get worse."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted_extractor import ScriptedExtractor
from small_home import ACTIVE, Home, line, write

from hypermnesia.graph_view import UserGraph
from hypermnesia.nightly import Measure, Probe
from hypermnesia.retrieval.overlay import GraphOverlay


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.extractor = ScriptedExtractor()
    texts = [f"fact like agent=person:Bo_Lind object=concept:{name}" for name in ("hiking_boot", "hiking_boots")]
    made.run(
        *(
            write(tmp_path / f"{user}.jsonl", *(line(f"{user}{n}", t, n, user=user) for n, t in enumerate(texts)))
            for user in ("ann", "bob")
        )
    )
    return made


def probe(home: Home, measure: Measure) -> Probe:
    return Probe(home.lake, home.identity, ACTIVE, f"run-{home.n_runs}", measure)


def test_a_night_that_makes_probes_worse_is_taken_back_exactly(home: Home) -> None:
    home.load_graph()
    before, digest = {u: g.fingerprint for u, g in home.graphs().items()}, home.digest()["graph"]
    home.night()
    assert {u: g.fingerprint for u, g in home.graphs().items()} != before
    asked: list[tuple[str, int, int]] = []

    def worse(user: str, old: UserGraph, new: UserGraph) -> tuple[float, float]:
        asked.append((user, len(old.anchors), len(new.anchors)))
        return 1.0, 0.98

    part = probe(home, worse).load()
    assert sorted(asked) == [("ann", 3, 2), ("bob", 3, 2)], "the night's decisions are an overlay over what was"
    assert part.reasons["taken_back"] == 2
    home.load_graph()
    assert {u: g.fingerprint for u, g in home.graphs().items()} == before
    assert home.digest()["graph"] == digest
    home.night()
    assert {u: g.fingerprint for u, g in home.graphs().items()} == before, "the next night does not repeat it"


@pytest.mark.parametrize("became", [1.0, 0.995, 0.991])
def test_a_night_that_is_no_worse_stays(home: Home, became: float) -> None:
    home.night()
    night = {u: g.fingerprint for u, g in home.graphs().items()}
    part = probe(home, lambda user, old, new: (1.0, became)).load()
    assert (part.n_in, part.n_out, part.reasons) == (2, 2, {})
    assert {u: g.fingerprint for u, g in home.graphs().items()} == night


def test_the_mean_over_users_decides(home: Home) -> None:
    home.night()
    probe(home, lambda user, old, new: (0.5, 0.4) if user == "ann" else (0.5, 0.7)).load()
    assert not [row for row in home.rows("merges") if row["decision"] == "undone"]


def test_a_night_that_decided_nothing_asks_nothing(home: Home) -> None:
    home.n_runs = 99
    part = probe(home, lambda user, old, new: pytest.fail("nothing to ask")).load()
    assert part.n_in == 0


def test_an_overlay_reads_as_the_store_does(home: Home) -> None:
    home.night()
    home.load_graph()
    graph, reader = home.graphs()["ann"], home.graph.reader()
    overlay = GraphOverlay("ann", graph.anchors, graph.frames)
    ids = sorted(member for anchor in graph.anchors for member in anchor.members)
    rows = sorted(citation.row_id for frame in graph.frames for citation in frame.citations)
    for user in ("ann", "bob"):
        for number in range(len(ids)):
            for predicates in (None, ["like"], ["hate"], []):
                asked = {"predicates": predicates, "limit": 1 + number % 2}
                assert list(overlay.frames_around(user, ids[number:], **asked)) == (
                    list(reader.frames_around(user, ids[number:], **asked)) if user == "ann" else []
                )
                assert list(overlay.frames_joining(user, ids[number : number + 1], **asked)) == (
                    list(reader.frames_joining(user, ids[number : number + 1], **asked)) if user == "ann" else []
                )
    assert list(overlay.anchors("ann", ids)) == list(reader.anchors("ann", ids))
    assert list(overlay.frames_citing("ann", rows[:1])) == list(reader.frames_citing("ann", rows[:1]))
    assert overlay.counts("ann") == reader.counts("ann")
    reader.close()
