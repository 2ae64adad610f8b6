"""The messages in force: the last edit, the best sighting, one order, whatever the order of rows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from conversations import START, Row, conversations, message, messages_frame, sighting, sources_frame
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.rules.revisions import messages_in_force


def in_force(messages: list[Row], sources: list[Row]) -> list[Row]:
    return messages_in_force(messages_frame(messages), sources_frame(sources)).to_dicts()


def edit(native: str, text: str, minutes: int | None, **more: Any) -> Row:
    return message(native, text, revised_at=None if minutes is None else START + timedelta(minutes=minutes), **more)


@given(st.permutations([edit("1", "first", None), edit("1", "second", 5), edit("1", "third", 9)]))
def test_the_last_edit_wins(revisions: list[Row]) -> None:
    rows = in_force(revisions, [sighting(row) for row in revisions])
    assert [row["text"] for row in rows] == ["third"]


@given(st.permutations([edit("1", "one", 5), edit("1", "two", 5)]))
def test_two_edits_of_one_moment_have_an_order(revisions: list[Row]) -> None:
    winner = max(revisions, key=lambda row: row["content_hash"])
    assert in_force(revisions, [sighting(row) for row in revisions])[0]["text"] == winner["text"]


@given(st.permutations([edit("1", "said", None), edit("1", "edited", 5), edit("1", "", None, is_deleted=True)]))
def test_what_was_taken_back_stays_so(revisions: list[Row]) -> None:
    assert [row["is_deleted"] for row in in_force(revisions, [sighting(row) for row in revisions])] == [True]


def test_what_came_with_a_deleted_message_is_deleted_too() -> None:
    picture = message("1", "a dog", part="attachment/000")
    other = message("2", "a cat", part="attachment/000")
    messages = [message("1", "look"), picture, edit("1", "", 5, is_deleted=True), message("2", "hi"), other]
    rows = in_force(messages, [sighting(row) for row in messages])
    assert {(row["native_id"], row["part"], row["is_deleted"]) for row in rows} == {
        ("1", "", True),
        ("1", "attachment/000", True),
        ("2", "", False),
        ("2", "attachment/000", False),
    }


@settings(max_examples=30)
@given(conversations(most=12), st.randoms())
def test_the_order_of_rows_does_not_matter(conversation: tuple[list[Row], list[Row]], random: Any) -> None:
    messages, sources = conversation
    edited = [{**row, "content_hash": "txt_0", "text": "new", "revised_at": START} for row in messages[::3]]
    again = [{**row, "archive": "b.jsonl", "title": "another"} for row in sources[::2]]
    rows, seen = [*messages, *edited], [*sources, *again, *(sighting(row, position=1) for row in edited)]
    expected = in_force(rows, seen)
    random.shuffle(rows)
    random.shuffle(seen)
    assert in_force(rows, seen) == expected
    assert len(expected) == len({row["message_id"] for row in messages})


def test_messages_stand_in_the_order_in_which_they_were_said() -> None:
    rows = [message(str(n)) for n in range(5)]
    picture = message("3", "a dog", part="attachment/000")
    seen = [
        sighting(rows[0], 9),
        sighting(rows[1], 5, sequence=1),
        sighting(rows[2], 5, sequence=0),
        sighting(rows[3], 7),
        sighting(picture, 7),
        sighting(rows[4], None),
    ]
    found = in_force([*rows, picture], seen)
    assert [(r["native_id"], r["part"]) for r in found] == [
        ("4", ""),  # without a time: before those that have one
        ("2", ""),
        ("1", ""),
        ("3", ""),
        ("3", "attachment/000"),
        ("0", ""),
    ]


@given(st.permutations([("a", 60, "UTC", False, 3), ("b", 0, "Europe/Berlin", True, 1), ("c", 60, "UTC", False, 2)]))
def test_a_sighting_with_a_known_zone_wins(seen: list[tuple[str, int, str, bool, int]]) -> None:
    row = message("1")
    sources = [
        sighting(row, m, archive=a, timezone=z, is_tz_known=known, seen_at=START + timedelta(days=day))
        for a, m, z, known, day in seen
    ]
    assert in_force([row], sources)[0]["timezone"] == "Europe/Berlin"


@given(st.permutations([("Europe/Berlin", 1), ("Asia/Tokyo", 2), ("America/New_York", 3)]))
def test_a_later_run_corrects_the_zone_and_no_id(seen: list[tuple[str, int]]) -> None:
    row = message("1")
    hours = {"Europe/Berlin": -1, "Asia/Tokyo": -9, "America/New_York": 5}
    sources = [sighting(row, 60 * hours[z], timezone=z, seen_at=START + timedelta(days=day)) for z, day in seen]
    first = in_force([row], [s for s in sources if s["timezone"] == "Europe/Berlin"])[0]
    corrected = in_force([row], sources)[0]
    assert (corrected["timezone"], corrected["said_at"]) == ("America/New_York", START + timedelta(hours=5))
    changed = {name for name in first if first[name] != corrected[name]}
    assert changed == {"timezone", "said_at", "said_local"}


def test_a_part_has_its_heads_place_and_time() -> None:
    """A second archive that has the message without its picture must not tear them apart."""
    head, picture, other = message("1"), message("1", "a dog", part="attachment/000"), message("2")
    later = START + timedelta(days=1)
    rows = in_force(
        [head, picture, other],
        [
            sighting(head, 10, sequence=0),
            sighting(picture, 10, sequence=0),
            sighting(other, 10, sequence=1),
            sighting(head, 5, sequence=7, archive="b", seen_at=later),
        ],
    )
    assert [(row["native_id"], row["part"]) for row in rows] == [("1", ""), ("1", "attachment/000"), ("2", "")]
    assert rows[0]["said_at"] == rows[1]["said_at"] == START + timedelta(minutes=5)


def test_no_rows() -> None:
    assert in_force([], []) == []
