"""Exports of every format with generated chat, of any size, written as a stream.

Texts are those of `tests.fixtures.generate`, 20,000 of them, said again and again under new ids and times.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tests.fixtures.generate import generate

N_TEXTS = 20_000
TALK_MESSAGES = 40
BEGIN = datetime(2015, 1, 1, 8, tzinfo=UTC)
USERS = ("U1", "U2")
N_CHANNELS = 20


class Said(NamedTuple):
    """One message: its id, its place in its talk, who said it, when, and what."""

    id: str
    turn: int
    speaker: str
    at: datetime
    text: str


class Sink(Protocol):
    """Where bytes go: a file, or a member of a zip."""

    def write(self, data: bytes, /) -> Any: ...


Talk = tuple[int, list[Said]]


def talks() -> Iterator[Talk]:
    """(number, messages) of talks between two, without end; half an hour a talk."""
    texts = [row["text"] for row in generate(users=20, messages=N_TEXTS, seed=7)]
    number = 0
    while True:
        said = []
        for turn in range(TALK_MESSAGES):
            n = number * TALK_MESSAGES + turn
            at = BEGIN + timedelta(minutes=30 * number, seconds=30 * turn)
            said.append(Said(f"{number:08x}-{turn:04x}", turn, ("Ann Lee", "Ben")[turn % 2], at, texts[n % N_TEXTS]))
        yield number, said
        number += 1


def _fill(
    sink: Sink, rows: Iterable[Any], size: int, *, first: str = "[", between: str = ",\n", last: str = "]"
) -> int:
    """Writes rows of JSON until they are `size` bytes; how many bytes there are."""
    sink.write(first.encode())
    n_bytes, mark = 0, ""
    for row in rows:
        data = (mark + (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False))).encode()
        sink.write(data)
        n_bytes, mark = n_bytes + len(data), between
        if n_bytes >= size:
            break
    sink.write(last.encode())
    return n_bytes


def _file(folder: Path, name: str, size: int, rows: Iterable[Any], **ends: str) -> tuple[Path, int]:
    with (folder / name).open("wb") as file:
        return folder / name, _fill(file, rows, size, **ends)


def _zip(folder: Path, size: int, rows: Iterable[Any], sidecars: dict[str, Any]) -> tuple[Path, int]:
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, value in sidecars.items():
            archive.writestr(name, json.dumps(value))
        with archive.open("conversations.json", "w", force_zip64=True) as member:
            return path, _fill(member, rows, size)


def _lines(folder: Path, name: str, size: int, rows: Iterable[Any]) -> tuple[Path, int]:
    return _file(folder, name, size, rows, first="", between="\n", last="\n")


def write_locomo(folder: Path, size: int) -> tuple[Path, int]:
    def sample(sessions: list[Talk]) -> dict[str, Any]:
        talk: dict[str, Any] = {"speaker_a": "Ann Lee", "speaker_b": "Ben"}
        for n, (_, said) in enumerate(sessions, start=1):
            talk[f"session_{n}_date_time"] = said[0].at.strftime("%I:%M %p on %d %B, %Y")
            talk[f"session_{n}"] = [
                {"speaker": s.speaker, "dia_id": f"D{n}:{s.turn + 1}", "text": s.text} for s in said
            ]
        return {"sample_id": f"conv-{sessions[0][0]}", "conversation": talk, "qa": []}

    return _file(folder, "locomo.json", size, map(sample, _groups(20)))


def write_chatgpt(folder: Path, size: int) -> tuple[Path, int]:
    def conversation(talk: Talk) -> dict[str, Any]:
        number, said = talk
        nodes: dict[str, Any] = {"root": {"id": "root", "parent": None, "message": None, "children": [said[0].id]}}
        for s, after in zip(said, [*said[1:], None], strict=True):
            message = {
                "id": s.id,
                "author": {"role": ("user", "assistant")[s.turn % 2], "name": None, "metadata": {}},
                "create_time": s.at.timestamp(),
                "update_time": None,
                "content": {"content_type": "text", "parts": [s.text]},
                "status": "finished_successfully",
                "metadata": {"model_slug": "gpt-4o", "timestamp_": "absolute"},
                "recipient": "all",
            }
            parent = said[s.turn - 1].id if s.turn else "root"
            nodes[s.id] = {"id": s.id, "parent": parent, "message": message, "children": [after.id] if after else []}
        begun = said[0].at.timestamp()
        named = {"title": f"Talk {number}", "create_time": begun, "conversation_id": f"c{number}"}
        return named | {"mapping": nodes, "current_node": said[-1].id}

    return _zip(folder, size, map(conversation, talks()), {"user.json": {}, "message_feedback.json": []})


def write_claude(folder: Path, size: int) -> tuple[Path, int]:
    def conversation(talk: Talk) -> dict[str, Any]:
        number, said = talk
        messages = [
            {
                "uuid": s.id,
                "text": s.text,
                "content": [{"type": "text", "text": s.text, "citations": []}],
                "sender": ("human", "assistant")[s.turn % 2],
                "created_at": s.at.isoformat(),
                "updated_at": s.at.isoformat(),
                "attachments": [],
                "files": [],
            }
            for s in said
        ]
        named = {"uuid": f"c{number}", "name": f"Talk {number}", "account": {"uuid": "me"}}
        return named | {"created_at": said[0].at.isoformat(), "chat_messages": messages}

    return _zip(folder, size, map(conversation, talks()), {"users.json": [], "projects.json": []})


def write_longmemeval(folder: Path, size: int) -> tuple[Path, int]:
    def instance(sessions: list[Talk]) -> dict[str, Any]:
        return {
            "question_id": f"q{sessions[0][0]}",
            "haystack_dates": [said[0].at.strftime("%Y/%m/%d (%a) %H:%M") for _, said in sessions],
            "haystack_session_ids": [f"s{number}" for number, _ in sessions],
            "haystack_sessions": [_turns(said, "role", "content") for _, said in sessions],
        }

    return _file(folder, "longmemeval.json", size, map(instance, _groups(50)))


def write_sharegpt(folder: Path, size: int) -> tuple[Path, int]:
    rows = ({"id": f"c{n}", "conversations": _turns(said, "from", "value")} for n, said in talks())
    return _file(folder, "sharegpt.json", size, rows)


def write_openai_messages(folder: Path, size: int) -> tuple[Path, int]:
    rows = (
        {"id": f"c{n}", "created": int(said[0].at.timestamp()), "messages": _turns(said, "role", "content")}
        for n, said in talks()
    )
    return _lines(folder, "messages.jsonl", size, rows)


def write_slack(folder: Path, size: int) -> tuple[Path, int]:
    path, n_bytes = folder / "Team Slack export.zip", 0
    users = [{"id": id, "name": name, "tz": "Europe/Berlin"} for id, name in zip(USERS, ("ann", "ben"), strict=True)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("users.json", json.dumps(users))
        archive.writestr("channels.json", json.dumps([{"id": f"C{n}", "name": f"ch{n}"} for n in range(N_CHANNELS)]))
        for n, day in enumerate(_groups(5)):
            at = BEGIN + timedelta(days=n // N_CHANNELS)
            rows = [_slack_message(s, at + timedelta(minutes=m)) for m, s in enumerate(s for _, t in day for s in t)]
            data = json.dumps(rows, ensure_ascii=False, indent=4).encode()
            archive.writestr(f"ch{n % N_CHANNELS}/{at.date()}.json", data)
            n_bytes += len(data)
            if n_bytes >= size:
                return path, n_bytes
    raise AssertionError("talks have no end")


def _slack_message(said: Said, at: datetime) -> dict[str, Any]:
    who, words = USERS[said.turn % 2], {"type": "text", "text": said.text}
    section = {"type": "rich_text_section", "elements": [words]}
    message = {"type": "message", "user": who, "text": said.text, "ts": f"{at.timestamp():.6f}", "team": "T1"}
    return message | {"client_msg_id": said.id, "blocks": [{"type": "rich_text", "elements": [section]}]}


def write_telegram(folder: Path, size: int) -> tuple[Path, int]:
    def chat(group: list[Talk]) -> dict[str, Any]:
        messages = [
            {
                "id": n,
                "type": "message",
                "date": s.at.strftime("%Y-%m-%dT%H:%M:%S"),
                "date_unixtime": str(int(s.at.timestamp())),
                "from": s.speaker,
                "from_id": f"user{1 + s.turn % 2}",
                "text": s.text,
                "text_entities": [{"type": "plain", "text": s.text}],
            }
            for n, s in enumerate(s for _, said in group for s in said)
        ]
        return {"name": f"Chat {group[0][0]}", "type": "personal_chat", "id": group[0][0], "messages": messages}

    first = '{"personal_information": {"user_id": 1, "first_name": "Ann"}, "chats": {"about": "", "list": ['
    return _file(folder, "result.json", size, map(chat, _groups(500)), first=first, last="]}}")


def write_whatsapp(folder: Path, size: int) -> tuple[Path, int]:
    rows = (f"{s.at:%d/%m/%Y, %H:%M} - {s.speaker}: {s.text}" for _, said in talks() for s in said)
    return _lines(folder, "WhatsApp Chat with Ben.txt", size, rows)


def write_jsonl(folder: Path, size: int) -> tuple[Path, int]:
    rows = (
        {"conversation": f"c{n}", "id": s.id, "speaker": s.speaker, "time": s.at.isoformat(), "text": s.text}
        for n, said in talks()
        for s in said
    )
    return _lines(folder, "messages.jsonl", size, rows)


def write_markdown(folder: Path, size: int) -> tuple[Path, int]:
    """A folder of notes, about 10 KB each."""
    n_bytes = 0
    for number, said in talks():
        paragraphs = [f"## Part {s.turn // 4}\n\n{s.text}" if s.turn % 4 == 0 else s.text for s in said]
        data = (f"# Notes {number}\n\n" + "\n\n".join(paragraphs) + "\n").encode()
        notes = folder / f"notes/{number // 500:04}"
        notes.mkdir(parents=True, exist_ok=True)
        (notes / f"{number}.md").write_bytes(data)
        n_bytes += len(data)
        if n_bytes >= size:
            break
    return folder / "notes", n_bytes


def _groups(n: int) -> Iterator[list[Talk]]:
    every = talks()
    while True:
        yield list(islice(every, n))


def _turns(said: list[Said], who: str, what: str) -> list[dict[str, str]]:
    roles = ("human", "gpt") if who == "from" else ("user", "assistant")
    return [{who: roles[s.turn % 2], what: s.text} for s in said]


#: Writes an export of a format into a folder, about so many bytes once unpacked: what is read, and its bytes.
def _runs(opening: str | None) -> Iterator[dict[str, Any]]:
    """Task sessions whose answers are the talks' texts."""
    for number, said in talks():
        steps = [{"action": f"click[item {s.turn}]", "observation": s.text} for s in said]
        first = [] if opening is None else [{"action": "reset", "observation": opening}]
        yield {"id": f"run-{number}", "task": f"i need thing {number}", "steps": first + steps, "score": number % 2}


def write_task_sessions(folder: Path, size: int) -> tuple[Path, int]:
    return _lines(folder, "runs.jsonl", size, _runs(None))


def write_webshop_logs(folder: Path, size: int) -> tuple[Path, int]:
    return _lines(folder, "shop.jsonl", size, _runs("Webshop \nInstruction: \ni need things \n[Search]"))


def write_react_logs(folder: Path, size: int) -> tuple[Path, int]:
    def trajectory(talk: Talk) -> str:
        number, said = talk
        steps = "".join(f"> go to place {s.turn}\n{' '.join(s.text.split())}\n" for s in said)
        text = f"You are in a room.\nYour task is to: put thing {number} in place 1.\n{steps}"
        return f"{json.dumps(f'run_{number}')}: {json.dumps(text)}"

    return _file(folder, "react.json", size, map(trajectory, talks()), first="{", last="}")


WRITERS: dict[str, Callable[[Path, int], tuple[Path, int]]] = {
    "locomo": write_locomo,
    "chatgpt": write_chatgpt,
    "claude": write_claude,
    "longmemeval": write_longmemeval,
    "sharegpt": write_sharegpt,
    "openai_messages": write_openai_messages,
    "slack": write_slack,
    "telegram": write_telegram,
    "whatsapp": write_whatsapp,
    "react_logs": write_react_logs,
    "webshop_logs": write_webshop_logs,
    "task_sessions": write_task_sessions,
    "jsonl": write_jsonl,
    "markdown": write_markdown,
}
