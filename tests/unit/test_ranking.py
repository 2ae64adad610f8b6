"""The read path over one user's rows: walls, limits, total order, neighbours, as-of, following a generation."""

from __future__ import annotations

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows_in_memory import BagOfWords, EmptyGraph, MemoryIndex, make_rows

from hypermnesia.ports import IndexRow
from hypermnesia.retrieval.ask import Asker
from hypermnesia.retrieval.features import Question
from hypermnesia.retrieval.history import build_history
from hypermnesia.retrieval.ranking import rank
from hypermnesia.rules.planning import plan

TALK = [
    ("Ann", "I adopted a puppy from the shelter."),
    ("Ben", "Lovely! What is its name?"),
    ("Ann", "Biscuit."),
    ("Ben", "I am learning the cello this year."),
    ("Ann", "My sister plays the violin in Vienna."),
    ("Ben", "Yesterday I baked bread."),
]
WORDS = st.lists(st.sampled_from(["puppy", "cello", "sister", "Vienna", "I", "what?", "the"]), min_size=1, max_size=6)
TURNS = st.lists(st.tuples(st.sampled_from(["Ann", "Ben", "Cem"]), WORDS.map(" ".join)), min_size=1, max_size=15)


def ask(rows: list[IndexRow], question: str, user: str = "ann", **options: Any) -> dict[str, Any]:
    return asker_of(MemoryIndex(rows)).ask(user, question, **options)


def asker_of(index: MemoryIndex, **options: Any) -> Asker:
    return Asker(index, EmptyGraph(), BagOfWords(), **options)  # type: ignore[arg-type]


def put(question: str) -> Question:
    vectors, tokens = BagOfWords().embed_tokens([("", question)])
    return Question(question, vectors[0], tokens[0], plan(question))


def texts(answer: dict[str, Any]) -> list[str]:
    return [row["text"] for row in answer["rows"]]


def ids(answer: dict[str, Any]) -> list[str]:
    return [row["row_id"] for row in answer["rows"]]


@pytest.mark.parametrize("profile", ["default", "direct"])
def test_the_row_that_answers_comes_first_and_names_its_message(profile: str) -> None:
    answer = ask(make_rows(TALK), "What does Ben learn, the cello?", id="q1", profile=profile)
    first = answer["rows"][0]
    assert first["text"] == "I am learning the cello this year."
    assert first["sources"] == [
        {"message_id": "m/ann/c1/s1/00003", "archive": "archive.json", "conversation": "c1", "native_id": "D1:3"}
    ]
    assert (answer["id"], answer["user"], answer["facts"], answer["fallback"]) == ("q1", "ann", [], None)
    assert answer["operation"] == "single value"
    assert first["event_time"] == {"start": None, "end": None, "precision": "unknown"}
    assert first["lane"] == "direct"


def test_an_answer_is_found_by_the_question_before_it() -> None:
    rows = [*make_rows([("Ann", "Biscuit.")], session="s0"), *make_rows(TALK, first=1)]
    found = [row["row_id"] for row in ask(rows, "What is the name of the puppy?")["rows"] if row["text"] == "Biscuit."]
    assert found[0] == rows[3].row_id


def test_a_speaker_named_in_the_question_is_preferred() -> None:
    rows = make_rows([("Ann", "I went hiking in the Alps."), ("Ben", "I went hiking in the Alps.")])
    assert ask(rows, "Where did Ben go hiking?")["rows"][0]["speaker"] == "Ben"
    assert ask(rows, "Where did Ann go hiking?")["rows"][0]["speaker"] == "Ann"


def test_a_row_said_near_the_asked_date_is_preferred() -> None:
    rows = [
        *make_rows([("Ann", "I baked bread.")], session="s1", day="2023-02-03"),
        *make_rows([("Ann", "I baked bread.")], session="s2", day="2023-07-20", first=1),
        *make_rows([("Ann", "I baked bread.")], session="s3", day=None, first=2),
    ]
    assert ask(rows, "What did Ann bake in July 2023?")["rows"][0]["said_at"][:7] == "2023-07"
    assert ask(rows, "What did Ann bake in February?")["rows"][0]["said_at"][:7] == "2023-02"


def test_an_event_on_the_asked_date_counts_like_a_row_said_then() -> None:
    said = make_rows([("Ann", "I baked bread.")], session="s1") + make_rows([("Ann", "I baked bread.")], session="s2")
    dated = [said[0], dataclasses.replace(said[1], event_start="2021-10-02", event_precision="day")]
    assert ids(ask(dated, "What did Ann bake on 2 October 2021?"))[0] == dated[1].row_id


def test_an_event_counts_by_its_whole_interval() -> None:
    said = make_rows([("Ann", "I baked bread.")], session="s1") + make_rows([("Ann", "I baked bread.")], session="s2")
    week = dataclasses.replace(said[1], event_start="2021-09-27", event_end="2021-10-03", event_precision="week")
    assert ids(ask([said[0], week], "What did Ann bake on 2 October 2021?"))[0] == week.row_id


@pytest.mark.parametrize(
    ("question", "signal"),
    [
        ("Where did Ann go?", "is:location"),
        ("Who came with Ann?", "is:person"),
        ("Which book did Ann finish?", "is:work"),
    ],
)
def test_a_row_that_names_the_kind_of_thing_that_is_asked_for_is_preferred(question: str, signal: str) -> None:
    plain, typed = make_rows([("Ann", "That was a lovely day.")] * 2)
    rows = [plain, dataclasses.replace(typed, signals=(signal,))]
    assert ids(ask(rows, question))[0] == typed.row_id
    assert ids(ask(rows, question, profile="direct")) == ids(ask([plain, typed], question, profile="direct"))


def test_a_row_whose_time_is_known_is_preferred_for_a_question_of_when() -> None:
    plain, dated = make_rows([("Ann", "That was a lovely day.")] * 2)
    rows = [plain, dataclasses.replace(dated, event_start="2023-04-02", event_end="2023-04-02")]
    assert ids(ask(rows, "When did Ann have a lovely day?"))[0] == dated.row_id


def test_a_question_about_two_finds_what_each_of_them_said() -> None:
    said = [("Ann", "I play the cello."), ("Ben", "My oboe is broken."), ("Cem", "We share a flat, both of us.")]
    noise = [("Cem", f"Both have been playing cards on day {n}.") for n in range(20)]
    rows = make_rows([*said, *noise])
    found = ask(rows, "Which instrument do both Ann and Ben play?", limit=2, explain=True)
    assert {row["speaker"] for row in found["rows"]} == {"Ann", "Ben"}
    assert found["explain"]["plan"]["parts"] == ["Which instrument do Ann play?", "Which instrument do Ben play?"]
    assert len(ids(ask(rows, "Which instrument do both Ann and Ben play?", limit=99))) == len(rows)


@settings(max_examples=40, deadline=None)
@given(TURNS, WORDS.map(" ".join), st.randoms())
def test_the_order_in_which_rows_arrive_changes_nothing(turns: list[Any], question: str, random: Any) -> None:
    rows = make_rows(turns)
    mixed = list(rows)
    random.shuffle(mixed)
    one, other = build_history(rows), build_history(mixed)
    assert [r.row_id for r in one.rows] == [r.row_id for r in other.rows]
    assert rank(one, put(question)).explained(99) == rank(other, put(question)).explained(99)


@settings(max_examples=40, deadline=None)
@given(TURNS, WORDS.map(" ".join), st.integers(1, 20), st.sampled_from(["default", "direct"]))
def test_limit_is_exact_and_the_order_is_total(turns: list[Any], question: str, limit: int, profile: str) -> None:
    rows = make_rows(turns)
    answer = ask(rows, question, limit=limit, profile=profile)
    keys = [(-row["score"], row["row_id"]) for row in answer["rows"]]
    assert len(keys) == min(limit, len(rows))
    assert len(set(keys)) == len(keys)
    assert keys == sorted(keys)
    longer = ask(rows, question, limit=limit + 5, profile=profile)
    assert ids(longer)[: len(keys)] == ids(answer)


@settings(max_examples=25, deadline=None)
@given(TURNS, TURNS, WORDS.map(" ".join))
def test_another_users_rows_change_nothing(turns: list[Any], others: list[Any], question: str) -> None:
    own = make_rows(turns)
    alone = ask(own, question, limit=50)
    beside = ask(own + make_rows(others, user="bob"), question, limit=50)
    assert beside["rows"] == alone["rows"]
    assert all(row["row_id"].startswith("ann/") for row in beside["rows"])


@pytest.mark.parametrize("cut", [{"session": "s2"}, {"conversation": "c2"}])
def test_neighbours_never_cross_a_session_or_a_conversation(cut: dict[str, str]) -> None:
    first = make_rows([("Ann", "We saw a walrus.")])
    apart = build_history(first + make_rows([("Ann", "Wonderful.")], first=1, **cut))
    near = build_history(first + make_rows([("Ann", "Wonderful.")], first=1))
    assert apart.windowed.scores([("walrus", 1.0)])[1] == 0
    assert near.windowed.scores([("walrus", 1.0)])[1] > 0


def test_a_question_gets_three_to_thirty_rows_more_where_several_answer() -> None:
    rows = make_rows([("Ann", f"Message number {n} about the sea.") for n in range(60)])
    flat = [len(ask(rows, question)["rows"]) for question in ("What is it?", "How many were there?")]
    assert 3 < flat[0] < flat[1] <= 30
    clear = make_rows([*TALK, *[("Ben", f"The weather of day {n} was dull.") for n in range(60)]])
    assert 3 <= len(ask(clear, "What does Ben learn, the cello?")["rows"]) < 10


@settings(max_examples=30, deadline=None)
@given(TURNS, WORDS.map(" ".join))
def test_what_explain_shows_of_a_row_adds_up_to_its_score(turns: list[Any], question: str) -> None:
    answer = ask(make_rows(turns), question, explain=True)
    shown = answer["explain"]["rows"]
    assert [row["row_id"] for row in shown] == ids(answer)
    for row in shown:
        parts = [value for name, value in row.items() if name not in {"row_id", "score"}]
        assert sum(parts) == pytest.approx(row["score"], abs=3e-3)


def test_without_the_graph_no_feature_of_it_takes_part() -> None:
    rows = [dataclasses.replace(row, signals=("ag:ann", "is:location", "pr:adopt")) for row in make_rows(TALK)]
    question, graph_only = "Where did Ann adopt a puppy?", {"enriched", "acts", "holds"}
    with_graph = ask(rows, question, explain=True)["explain"]["rows"]
    without = ask(rows, question, explain=True, profile="direct")["explain"]["rows"]
    assert {"enriched", "acts", "holds"} <= {name for row in with_graph for name in row}
    assert not graph_only & {name for row in without for name in row}


def test_candidates_of_a_long_history_hold_what_a_full_scan_puts_first(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [(speaker, f"{text} ({n})") for n in range(40) for speaker, text in TALK]
    history = build_history(make_rows([*said, ("Ben", "The walrus slept in the harbour of Oslo.")]))
    full = rank(history, put("Where did the walrus sleep?")).rows(1)
    monkeypatch.setattr("hypermnesia.retrieval.candidates.FULL_SCAN", 100)
    monkeypatch.setattr("hypermnesia.retrieval.candidates.N_CANDIDATES", 60)
    monkeypatch.setattr("hypermnesia.retrieval.candidates.N_SAMPLED", 40)
    short = build_history(make_rows([*said, ("Ben", "The walrus slept in the harbour of Oslo.")]))
    ranked = rank(short, put("Where did the walrus sleep?"))
    assert len(ranked.places) < len(short) / 2
    assert ranked.rows(1)[0][1].row_id == full[0][1].row_id


def test_as_of_answers_as_if_nothing_had_been_said_since() -> None:
    early = make_rows(TALK, session="s1", day="2023-05-08")
    late = make_rows([("Ann", "Biscuit the puppy ran away.")], session="s2", day="2023-06-01", first=10)
    untimed = make_rows([("Ann", "A note about the puppy.")], session="s3", day=None, first=20)
    asked = ask(early + late + untimed, "Where is the puppy?", as_of="2023-05-08", limit=50)
    assert asked["rows"] == ask(early + untimed, "Where is the puppy?", limit=50)["rows"]
    assert len(ask(early + late + untimed, "Where is the puppy?", as_of="2023-06-01", limit=50)["rows"]) == 8


@pytest.mark.parametrize("profile", ["default", "direct"])
@pytest.mark.parametrize(
    "turns",
    [
        [("Ann", "One row.")],
        [("", "???")],
        [("Ann", "同じ"), ("Ann", "同じ")],
        [("user", "¿Dónde está mi gato?"), ("assistant", "Tu gato está en el jardín.")],
    ],
)
def test_short_and_odd_histories_are_answered(turns: list[tuple[str, str]], profile: str) -> None:
    answer = ask(make_rows(turns, day=None), "Where is 猫 or el gato?", profile=profile)
    assert len(answer["rows"]) == len(turns)
    assert all(row["score"] == row["score"] for row in answer["rows"])


def test_an_unknown_user_has_no_rows() -> None:
    assert ask(make_rows(TALK), "Anything?", user="nobody")["rows"] == []


@pytest.mark.parametrize(
    ("user", "question", "options", "message"),
    [
        ("", "What?", {}, "needs a user"),
        (" ", "What?", {}, "needs a user"),
        ("ann", " ", {}, "question is empty"),
        ("ann", "What?", {"limit": 0}, "at least 1"),
        ("ann", "What?", {"profile": "best"}, "unknown profile"),
        ("ann", "What?", {"as_of": "soon"}, "no ISO date"),
    ],
)
def test_what_cannot_be_asked_is_refused(user: str, question: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(make_rows(TALK), question, user=user, **options)


def test_rows_of_another_model_are_refused_by_name() -> None:
    rows = [dataclasses.replace(row, model="other/2") for row in make_rows(TALK)]
    with pytest.raises(RuntimeError, match=r"other/2.*rebuild"):
        ask(rows, "What?")


def test_a_history_of_two_users_is_refused() -> None:
    with pytest.raises(ValueError, match="one user"):
        build_history(make_rows(TALK) + make_rows(TALK, user="bob"))


def test_a_history_is_read_once_and_again_when_a_generation_is_published() -> None:
    index = MemoryIndex(make_rows(TALK))
    asker = asker_of(index)
    for _ in range(3):
        asker.ask("ann", "What?")
    assert index.n_reads == 1
    index.publish(make_rows([("Ann", "Only this.")]))
    assert texts(asker.ask("ann", "What?")) == ["Only this."]
    assert (index.n_reads, index.n_open) == (2, 1)
    asker.histories.close()
    assert index.n_open == 0


def test_histories_are_kept_within_their_rows() -> None:
    index = MemoryIndex(make_rows(TALK) + make_rows(TALK, user="bob"))
    asker = asker_of(index, cache_rows=len(TALK))
    for user in ("ann", "bob", "bob", "ann"):
        asker.ask(user, "What?")
    assert index.n_reads == 3


def test_a_long_text_is_not_ahead_for_its_length() -> None:
    filler = " ".join(f"word{n}" for n in range(2000))
    rows = make_rows([("Ann", filler), ("Ann", "The key is under the green flowerpot.")])
    assert texts(ask(rows, "Where is the key?"))[0].startswith("The key")


def test_a_history_that_is_being_built_holds_up_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    asker = asker_of(MemoryIndex(make_rows(TALK) + make_rows(TALK, user="bob")))
    asker.ask("bob", "What?")
    is_building, may_go_on, built = threading.Event(), threading.Event(), []

    def slowly(rows: Any, names: Any) -> Any:
        is_building.set()
        assert may_go_on.wait(10)
        built.append(len(rows))
        return build_history(rows, names)

    monkeypatch.setattr("hypermnesia.retrieval.cache.build_history", slowly)
    with ThreadPoolExecutor(2) as threads:
        cold = [threads.submit(asker.ask, "ann", "What?") for _ in range(2)]
        assert is_building.wait(10)
        assert asker.ask("bob", "What?")["rows"]  # while ann's is being built
        may_go_on.set()
        assert all(len(future.result(10)["rows"]) == len(TALK) for future in cold)
    assert built == [len(TALK)]  # once for both


def test_a_history_that_could_not_be_built_is_built_at_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    asker = asker_of(MemoryIndex(make_rows(TALK)))
    with monkeypatch.context() as broken:
        broken.setattr("hypermnesia.retrieval.cache.build_history", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            asker.ask("ann", "What?")
    assert asker.ask("ann", "What?")["rows"]


def test_moments_after_everything_said_share_one_history() -> None:
    asker = asker_of(MemoryIndex(make_rows(TALK, day="2023-05-08")), cache_rows=len(TALK))
    later = [asker.histories.get("ann", datetime(2024, 1, day, tzinfo=UTC)) for day in range(1, 9)]
    assert {id(history) for history in later} == {id(asker.histories.get("ann"))}
