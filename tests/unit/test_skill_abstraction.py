"""Actions, templates, slots, slices and alignment: what two runs of one kind of task have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skill_making import fetch, make, session

from hypermnesia.rules.skills.abstraction import abstract, covers, is_numbered, pattern_of, read_lexicon
from hypermnesia.rules.skills.actions import parse_action
from hypermnesia.rules.skills.alignment import common_pairs, medoid
from hypermnesia.rules.skills.answers import has_failed
from hypermnesia.rules.skills.conditions import separating_word
from hypermnesia.rules.skills.distilling import distill
from hypermnesia.rules.skills.sessions import TaskSession
from hypermnesia.rules.skills.templates import own_words, slot_letters, task_words, template_of

TRACES = st.lists(st.sampled_from("abcd"), max_size=8).map(tuple)


@pytest.mark.parametrize(
    ("text", "skeleton", "names"),
    [
        ("take apple 1 from fridge 2", ("take", "_", "from", "_"), ["apple 1", "fridge 2"]),
        ("put cup 1 in/on shelf 3", ("put", "_", "in/on", "_"), ["cup 1", "shelf 3"]),
        ("look", ("look",), []),
        ("search[red Shoes]", ("search", "_"), ["red Shoes"]),
        ('book({"seat": "12A", "user": "u1"})', ("book", "seat=", "_", "user=", "_"), ["12A", "u1"]),
        ("tar -czf out.tgz data", ("tar", "-czf", "_", "_"), ["out.tgz", "data"]),
        ("cp 'a b.txt' /tmp", ("cp", "_", "_"), ["a b.txt", "/tmp"]),
    ],
)
def test_actions_are_words_and_arguments(text: str, skeleton: tuple[str, ...], names: list[str]) -> None:
    action = parse_action(text)
    assert action.skeleton == skeleton and [a.name for a in action.arguments] == names


@given(st.text(max_size=60))
def test_any_text_is_an_action(text: str) -> None:
    action = parse_action(text)
    assert len(action.arguments) == action.skeleton.count("_") or "_" in text


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        ("Nothing happens.", True),
        ("Invalid action!", True),
        ("ffprobe: command not found", True),
        ("Error: payment amount does not add up", True),
        ('{"error": "no seat"}', True),
        ("You can't do that.", True),
        ("Could not find [Beautiful]. Similar: []", True),
        ("You open the fridge 1.", False),
        ("On the shelf 1, you see nothing.", False),
        ("", False),
    ],
)
def test_answers_that_say_that_nothing_was_done(answer: str, failed: bool) -> None:
    assert has_failed(answer) == failed


@pytest.mark.parametrize(
    ("task", "template"),
    [
        ("put a clean apple in the fridge.", "put clean {A} in {B}"),
        ("put some apple on fridge", "put {A} in {B}"),
        ("put two apples in fridge.", "put two {A} in {B}"),
        ("cool some apple and put it in fridge.", "cool {A} and put it in {B}"),
    ],
)
def test_templates_have_slots_by_position(task: str, template: str) -> None:
    words = task_words(task)
    assert template_of(words, slot_letters(words, {"apple", "fridge"})) == template


def test_k06_names_addresses_and_paths_of_a_task_are_somebodys_own() -> None:
    assert own_words("Rename Priya's 3 invoices in /home/priya/tax for x@y.org") == {
        "priya's",
        "/home/priya/tax",
        "x@y.org",
    }


def patterns(*sessions: TaskSession) -> list[list[str]]:
    found = distill(sessions, make)
    return [[" ".join(p) for p in one.patterns] for one in found.experiences if one.kind == "repeat"]


def test_a_slice_has_the_steps_that_the_end_needed() -> None:
    found = session(
        "c",
        "put a clean cup in box",
        [
            ("go to desk 1", "On the desk 1, you see a pen 1."),
            ("take pen 1 from desk 1", "You pick up the pen 1."),
            ("put pen 1 in box 1", "Nothing happens."),
            ("put pen 1 in desk 1", "You put the pen 1."),
            ("go to shelf 1", "On the shelf 1, you see a cup 1, a cup 2."),
            ("take cup 2 from shelf 1", "You pick up the cup 2."),
            ("put cup 2 in shelf 1", "You put the cup 2."),
            ("take cup 1 from shelf 1", "You pick up the cup 1."),
            ("look", "You see a shelf 1."),
            ("go to basin 1", "On the basin 1, you see nothing."),
            ("clean cup 1 with basin 1", "You clean the cup 1."),
            ("go to box 1", "The box 1 is closed."),
            ("open box 1", "You open the box 1."),
            ("put cup 1 in box 1", "You put the cup 1."),
        ],
    )
    other = fetch("d", "pen", "tray", source="stool 1")
    assert sorted(patterns(found, other), key=len)[-1] == [
        "go to [*]",
        "take {A} from [*]",
        "go to [basin]",
        "clean {A} with [basin]",
        "go to {B}",
        "open {B}",
        "put {A} in {B}",
    ]


def test_two_things_of_one_type_are_told_apart() -> None:
    one, two = fetch("c", "cup", "box"), fetch("d", "cup", "box", source="stool 1")
    steps = [(step.action.text, step.answer) for step in (*one.steps, *two.steps)]
    steps[4:] = [(action.replace("cup 1", "cup 2"), answer.replace("cup 1", "cup 2")) for action, answer in steps[4:]]
    found = session("e", "put two cup in box", steps)
    assert patterns(found)[0][1::2] == ["take {A} from [*]", "put {A} in {B}", "take {A2} from [*]", "put {A2} in {B}"]


def test_tool_calls_are_sliced_by_the_values_that_they_pass_on() -> None:
    found = session(
        "c",
        "book a flight for Ann",
        [
            ('weather({"city": "Rome"})', '{"sky": "blue"}'),
            ('get_user({"name": "Ann"})', '{"user_id": "ann_77"}'),
            ('book({"flight": "HAT1", "user": "ann_77"})', '{"booking": "BK91"}'),
            ('confirm({"booking": "BK91"})', "outcome: success"),
        ],
        opening="",
    )
    assert patterns(found) == [["get_user name= {A}", "book flight= [*] user= [*]", "confirm booking= [*]"]]


def test_any_place_covers_a_type_and_no_slot() -> None:
    assert covers(("go", "[*]"), ("go", "[shelf]")) and not covers(("go", "[*]"), ("go", "{B}"))
    assert not covers(("go", "[shelf]"), ("go", "[*]"))


@given(TRACES, TRACES)
def test_a_common_subsequence_is_one_of_both(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    pairs = common_pairs(one, other)
    assert [one[i] for i, _ in pairs] == [other[j] for _, j in pairs]
    assert pairs == sorted(pairs) and len({i for i, _ in pairs}) == len(pairs) == len({j for _, j in pairs})
    assert len(common_pairs(one, one)) == len(one)


@given(st.lists(TRACES, min_size=1, max_size=6), st.randoms())
def test_the_centre_of_traces_does_not_depend_on_their_order(traces: list[tuple[str, ...]], rng: object) -> None:
    shuffled = list(traces)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert medoid(shuffled) == medoid(traces) and medoid(traces) in traces


def test_a_word_separates_the_answers_before_a_step_from_others() -> None:
    closed, seen = frozenset({"closed"}), frozenset({"see"})
    assert separating_word([closed] * 4, [seen] * 4) == "closed"
    assert separating_word([closed] * 4, [closed] * 4) is None
    assert separating_word([closed] * 2, [seen] * 4) is None  # too few


def test_failing_runs_have_slots_by_type_alone() -> None:
    found = session("c", "put a cup in box", [("take cup 1 from box 2", "Nothing happens.")])
    lexicon = read_lexicon([found])
    abstraction = abstract(found, lexicon)
    assert pattern_of(parse_action("take cup 1 from box 2"), abstraction) == ("take", "{A}", "from", "{B}")


def test_a_click_on_a_title_with_numbers_makes_no_type_of_thing() -> None:
    steps = [("search[toppers]", "Page 1 of 3"), ("click[24 Pieces and 12 more]", "ok"), ("click[Buy Now", "")]
    shop = session("c", "put a topper and a page in the cart", steps)
    assert not is_numbered(shop) and read_lexicon([shop]).types == frozenset()
    world = session("w", "put a cup in box", [("go to box 1", "You see a cup 1, and 2 more.")])
    assert read_lexicon([shop, world]).types == {"box", "cup"}


def test_a_thing_of_the_task_that_is_used_alone_on_the_way_is_kept() -> None:
    steps = [
        ("go to shelf 1", "You see a pen 1."),
        ("take pen 1 from shelf 1", "You pick up the pen 1."),
        ("go to desk 1", "You see a lamp 1."),
        ("examine lamp 1", "It is off."),
        ("use lamp 1", "You turn on the lamp 1."),
        ("put pen 1 in desk 1", "You put the pen 1 there."),
    ]
    distilled = distill([session("c", "examine the pen with the lamp", steps)], make)
    (repeat,) = (one for one in distilled.experiences if one.kind == "repeat")
    said = [" ".join(pattern) for pattern in repeat.patterns]
    assert "use {B}" in said and not any(words.startswith("examine") for words in said)
