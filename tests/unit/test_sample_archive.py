"""The sample archive: well-formed in every line, and holding what the demo is to show."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import hypermnesia
from hypermnesia.demo import QUESTIONS, SAMPLE

Row = dict
FORMAT = Path(hypermnesia.__file__).parent / "contracts" / "jsonl.md"
FIELDS = set(re.findall(r"^\| `(\w+)` \|", FORMAT.read_text("utf-8"), re.MULTILINE))
VALUES = {
    "role": {"person", "user", "assistant", "system", "tool"},
    "kind": {"utterance", "tool_call", "tool_result", "document", "system"},
}


def _read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


FILES = sorted(SAMPLE.glob("*.jsonl"))
ROWS = [row for path in FILES for row in _read(path)]


def _texts(user: str) -> str:
    return "\n".join(row.get("text", "") for row in ROWS if row["user"] == user)


def test_size() -> None:
    assert len(FILES) >= 5
    assert len({row["user"] for row in ROWS}) >= 5
    assert 250 <= len(ROWS) <= 450
    assert {row["time"][:4] for row in ROWS} == {"2023", "2024", "2025"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_line_has_the_format(path: Path) -> None:
    assert "conversation" in FIELDS
    for row in _read(path):
        assert set(row) <= FIELDS, row
        assert row["user"] and row["conversation"], row
        assert row.get("speaker") or row.get("role"), row
        assert "text" in row or row.get("attachments"), row
        for field, allowed in VALUES.items():
            assert row.get(field, next(iter(allowed))) in allowed, row
        for attachment in row.get("attachments", ()):
            assert set(attachment) <= {"type", "name", "text"}, row
        at = datetime.fromisoformat(row["time"])
        assert at.tzinfo is not None or ZoneInfo(row["timezone"]), row


def test_conversations_stand_in_order_with_unique_ids() -> None:
    conversations: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in ROWS:
        conversations[row["user"], row["conversation"]].append(row)
    without_ids = [key for key, rows in conversations.items() if not any("id" in row for row in rows)]
    assert len(without_ids) == 1
    for key, rows in conversations.items():
        first_wordings = [row for row in rows if "edited_at" not in row]
        times = [datetime.fromisoformat(row["time"]) for row in first_wordings]
        assert times == sorted(times), key
        if key in without_ids:
            continue
        ids = [row["id"] for row in first_wordings]
        assert len(set(ids)) == len(ids), key
        assert {row["id"] for row in rows} == set(ids), key
        assert {row["reply_to"] for row in rows if "reply_to" in row} <= set(ids), key


def test_two_people_hold_the_same_conversation() -> None:
    def without_user(user: str) -> list[Row]:
        own = [row for row in ROWS if row["user"] == user and row["conversation"] == "lisbon-weekend"]
        return [{name: value for name, value in row.items() if name != "user"} for row in own]

    assert without_user("maya")
    assert without_user("maya") == without_user("sam")


def test_the_traps_of_real_archives_are_in_it() -> None:
    assert any(row.get("text") == "" for row in ROWS)
    assert any("text" not in row and row["attachments"][0]["text"] for row in ROWS)
    assert sum("edited_at" in row for row in ROWS) == 1
    assert sum(row.get("deleted", False) for row in ROWS) == 1
    assert {row.get("kind") for row in ROWS} >= {"tool_call", "tool_result"}
    assert {row["user"] for row in ROWS if "timezone" in row} == {"ingrid"}
    twins = Counter((r["speaker"], r["time"], r.get("text")) for r in ROWS if "id" not in r)
    assert max(twins.values()) == 2, "the same words twice in one minute, without ids"


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ("maya", "Ich bestätige die Kündigung"),
        ("maya", "A senhora do café respondeu"),
        ("tomas", "Ya hablé con mi mamá"),
        ("ingrid", "Kan vi låne hytta"),
        ("devika", "新年快乐"),
    ],
)
def test_not_everybody_speaks_english(user: str, said: str) -> None:
    assert said in _texts(user)


def test_events_happen_again() -> None:
    days = {row["time"][:10] for row in ROWS if row.get("text", "").startswith("I went running today")}
    assert len(days) >= 4


@pytest.mark.parametrize(
    ("user", "names"),
    [
        ("maya", ("Jordan goes to Jordan", "the best Anna I know, and I know two")),
        ("tomas", ("C# or C++", "iOS 17 yet", "iOS 17.1")),
        ("devika", ("I ordered milk chocolate!", "ten crates of chocolate milk")),
    ],
)
def test_names_look_alike(user: str, names: tuple[str, ...]) -> None:
    for name in names:
        assert name in _texts(user)


def test_questions_name_messages_that_exist() -> None:
    questions = _read(QUESTIONS)
    assert len(questions) == 10
    assert len({question["id"] for question in questions}) == 10
    assert len({question["user"] for question in questions[:5]}) == 5
    for question in questions:
        assert set(question) == {"id", "user", "question", "evidence"}
        own = [row["id"] for row in ROWS if row["user"] == question["user"] and "id" in row]
        assert question["evidence"], question
        for native_id in question["evidence"]:
            assert own.count(native_id) == 1, native_id


def test_a_question_is_no_copy_of_its_answer() -> None:
    by_id = {(row["user"], row["id"]): row["text"] for row in ROWS if "id" in row and "text" in row}
    for question in _read(QUESTIONS):
        asked = set(re.findall(r"\w{4,}", question["question"].casefold()))
        for native_id in question["evidence"]:
            said = set(re.findall(r"\w{4,}", by_id[question["user"], native_id].casefold()))
            assert len(asked & said) <= len(asked) / 2, (question["id"], asked & said)
