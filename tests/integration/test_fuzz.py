"""Mutated archives of every format: no crash, every row accounted for, whatever the damage.

2,000 files in `make test`, 20,000 in `make soak`. A failure names its format and seed; `mutated(base, seed)`
gives the file again.
"""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from homes import make_app

from hypermnesia.archives import READERS, KnownArchives
from hypermnesia.ports import Shard

SAID = {"role": "user", "content": "hello é", "tool_calls": [{"id": "t", "function": {"name": "f", "arguments": "{}"}}]}
NODES = {
    "r": {"id": "r", "parent": None, "message": None, "children": ["u"]},
    "u": {
        "id": "u",
        "parent": "r",
        "children": ["a"],
        "message": {
            "id": "u",
            "author": {"role": "user"},
            "create_time": 1700000000.5,
            "content": {"content_type": "text", "parts": ["hi \ud83d"]},
            "metadata": {},
        },
    },
}
TURN = {"dia_id": "D1:1", "speaker": "Ann", "text": "hi", "blip_caption": "a dog"}
SLACK = {
    "users.json": [{"id": "U1", "name": "ann", "profile": {"real_name": "Ann"}, "tz": "Europe/Berlin"}],
    "channels.json": [{"id": "C1", "name": "general"}],
    "general/2024-01-01.json": [
        {"type": "message", "user": "U1", "text": "<@U1> hi", "ts": "1700000000.000100", "files": [{"name": "x"}]},
        {
            "type": "message",
            "user": "U2",
            "text": "yes",
            "ts": "1700000001.000100",
            "edited": {"ts": "1700000002.0001"},
        },
    ],
}
TELEGRAM = {
    "name": "Ann",
    "type": "personal_chat",
    "id": 1,
    "messages": [
        {"id": 1, "type": "message", "date": "2024-01-01T10:00:00", "date_unixtime": "1704103200", "from": "Ann"}
        | {"text": ["a", {"type": "link", "text": "b"}], "photo": "x.jpg"}
    ],
}
WHATSAPP = "[31/01/19, 11:25:09] Ann: hi\n[1/2/19, 11:25:09\u202fPM] Ben: \u200e<attached: a.jpg>\nmore\n"
STEP = {"action": "go to box 1", "observation": "You see a cup 1."}


def _zip(members: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, str) else json.dumps(value))
    return buffer.getvalue()


def _lines(*rows: Any) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


CHATGPT = [{"title": "T", "conversation_id": "c", "mapping": NODES, "current_node": "u", "create_time": 1700000000}]
CLAUDE = [{"uuid": "c", "name": "T", "account": {"uuid": "me"}}]
CLAUDE[0]["chat_messages"] = [  # type: ignore[assignment]
    {"uuid": "m", "sender": "human", "text": "", "created_at": "2024-01-01T10:00:00Z"}
    | {"content": [{"type": "text", "text": "hi"}], "attachments": [{"file_name": "x", "extracted_content": "y"}]}
]

BASES: dict[str, tuple[str, bytes]] = {
    "locomo": ("a.json", _lines([{"sample_id": "s", "conversation": {"speaker_a": "A", "session_1": [TURN, TURN]}}])),
    "chatgpt": ("conversations.json", _lines(CHATGPT)),
    "chatgpt zip": ("export.zip", _zip({"conversations.json": CHATGPT, "user.json": {}})),
    "claude": ("conversations.json", _lines(CLAUDE)),
    "claude zip": ("export.zip", _zip({"conversations.json": CLAUDE, "users.json": []})),
    "longmemeval": (
        "l.json",
        _lines(
            [
                {"question_id": "q", "haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_session_ids": ["s"]}
                | {"haystack_sessions": [[SAID, SAID]]}
            ]
        ),
    ),
    "sharegpt": ("s.json", _lines([{"id": "c", "conversations": [{"from": "human", "value": "hi"}, "stray"]}])),
    "openai_messages": ("o.jsonl", _lines({"id": "c", "messages": [SAID, {"role": "tool", "content": "x"}]})),
    "slack": ("slack.zip", _zip(SLACK)),
    "slack day": ("team/general/2024-01-01.json", _lines(SLACK["general/2024-01-01.json"])),
    "telegram": ("result.json", _lines(TELEGRAM)),
    "telegram account": (
        "result.json",
        _lines({"personal_information": {"user_id": 1}, "chats": {"list": [TELEGRAM, TELEGRAM]}}),
    ),
    "whatsapp": ("WhatsApp Chat with Ann.txt", WHATSAPP.encode()),
    "whatsapp zip": ("WhatsApp Chat - Ann.zip", _zip({"_chat.txt": WHATSAPP, "a.jpg": "x"})),
    "react_logs": (
        "r.json",
        _lines({"run": "A room.\nYour task is to: put a cup in box.\n> go to box 1\nYou see it.\n"}),
    ),
    "webshop_logs": (
        "w.jsonl",
        _lines(
            {"id": "w", "task": "a chair", "steps": [{"action": "reset", "observation": "Webshop \n[Search]"}, STEP]}
        ),
    ),
    "task_sessions": (
        "t.jsonl",
        _lines({"id": "t", "task": "put a cup in box", "opening": "A room.", "steps": [STEP]}),
    ),
    "jsonl": ("a.jsonl", _lines({"conversation": "c", "speaker": "A", "text": "hi", "time": "2024-01-01T10:00:00"})),
    "markdown": ("guide.md", b"# A\ntext\n\n## B\n```\n# no\n```\nmore\n"),
}
JUNK = [
    b"null",
    b"7",
    b'"x"',
    b"[]",
    b"{}",
    b"1e999",
    b"\xff",
    b'"\\ud83d"',
    b"\x00",
    b"",
    b"[[[[",
    b'"',
    b"\n",
    b"9" * 50,
]
_VALUE = re.compile(rb':\s?("[^"]*"|[\d.]+|null|true)')


def mutated(base: bytes, seed: int) -> bytes:
    """The file with one to four faults: bytes changed, put in, taken out, doubled, cut off, values swapped."""
    rng = random.Random(seed)
    data = bytearray(base)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        kind = rng.random()
        values = list(_VALUE.finditer(bytes(data)))
        if kind < 0.4 and values:
            value = rng.choice(values)
            data[value.start(1) : value.end(1)] = rng.choice(JUNK)
        elif kind < 0.6:
            data[at : at + rng.randint(0, 12)] = rng.choice(JUNK)
        elif kind < 0.8:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind < 0.9:
            data[at:at] = data[max(0, at - 200) : at]
        else:
            del data[at:]
    return bytes(data)


def test_every_format_is_fuzzed() -> None:
    assert {name.split()[0] for name in BASES} == {reader.name for reader in READERS}


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str, bytes], None]:
    """Reads a file as ingest does, found by content and by its own format, and checks the counts."""
    stage = make_app(tmp_path / "home").stage("ingest", [], datetime(2024, 1, 1, tzinfo=UTC))
    (tmp_path / "team/general").mkdir(parents=True)
    for name in ("users.json", "channels.json"):  # the lists that a day of an unpacked export needs
        (tmp_path / "team" / name).write_text(json.dumps(SLACK[name]))

    def run(name: str, data: bytes) -> None:
        file_name, _ = BASES[name]
        path = tmp_path / file_name
        path.write_bytes(data)
        found = KnownArchives().recognise(path)
        for format_name in {name.split()[0], found.name if found else ""}:
            details = {"path": str(path), "archive": file_name, "format": format_name, "user": "ann"}
            details |= {"timezone": "", "source_id": "", "digest": ""}
            n_in = 0
            for part in stage.run(Shard("ingest", "s", None, (file_name,), details)):
                assert part.n_in == part.n_out + part.n_rejected
                assert part.n_out == part.tables["messages"].num_rows
                n_in += part.n_in
            # An export of no conversation, and one whose nodes hold no message, are empty and no fault.
            may_be_empty = format_name == "chatgpt" or data.strip() == b"[]"
            assert n_in > 0 or may_be_empty, f"{format_name} read nothing and refused nothing"

    return run


def _fuzz(read: Callable[[str, bytes], None], n_files: int) -> None:
    for name, (_, base) in BASES.items():
        for seed in range(-(-n_files // len(BASES))):
            try:
                read(name, mutated(base, seed))
            except Exception as error:
                raise AssertionError(f"{name}, seed {seed}: {type(error).__name__}: {error}") from error


def test_two_thousand_damaged_files(read: Callable[[str, bytes], None]) -> None:
    _fuzz(read, 2_000)


@pytest.mark.soak
def test_twenty_thousand_damaged_files(read: Callable[[str, bytes], None]) -> None:
    _fuzz(read, 20_000)
