"""A newer export of an archive adds what is new and nothing else, in every format that people export again.

The older export lacks a message in the middle (it came late) and the last three; one message was edited since.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from homes import make_app

from hypermnesia.app import App
from hypermnesia.engine.progress import Progress
from hypermnesia.stages.ingest import ArchiveInput

N_MESSAGES, N_ADDED = 100, 3
LATE, EDITED = 41, 60
BEGIN = datetime(2024, 5, 13, 9)
TOPICS = ("the tea", "the rain", "a train to Leeds", "the red kettle", "choir practice")


@dataclass(frozen=True)
class Said:
    """One message of the one chat that every format here holds."""

    number: int
    text: str
    edited_at: datetime | None = None

    @property
    def at(self) -> datetime:
        """Its wall clock; no two were said in one minute."""
        return BEGIN + timedelta(minutes=2 * self.number)

    @property
    def is_first_speaker(self) -> bool:
        return self.number % 2 == 0

    @property
    def speaker(self) -> str:
        return "Ann" if self.is_first_speaker else "Ben"


def stamp(at: datetime) -> float:
    return at.replace(tzinfo=UTC).timestamp()


def chatgpt(path: Path, chat: Sequence[Said]) -> Path:
    nodes: dict[str, Any] = {"root": {"parent": None, "message": None}}
    parent = "root"
    for said in chat:
        message = {
            "author": {"role": "user" if said.is_first_speaker else "assistant"},
            "create_time": stamp(said.at),
            "update_time": stamp(said.edited_at) if said.edited_at else None,
            "content": {"content_type": "text", "parts": [said.text]},
        }
        nodes[f"n{said.number}"] = {"parent": parent, "message": message}
        parent = f"n{said.number}"
    talk = {"conversation_id": "c", "title": "T", "mapping": nodes, "current_node": parent}
    return as_zip(path / "export.zip", {"conversations.json": [talk], "user.json": {}})


def claude(path: Path, chat: Sequence[Said]) -> Path:
    messages = [
        {
            "uuid": f"m{said.number}",
            "sender": "human" if said.is_first_speaker else "assistant",
            "text": said.text,
            "created_at": f"{said.at.isoformat()}Z",
            "updated_at": f"{(said.edited_at or said.at).isoformat()}Z",
        }
        for said in chat
    ]
    return as_zip(path / "export.zip", {"conversations.json": [{"uuid": "c", "chat_messages": messages}]})


def slack(path: Path, chat: Sequence[Said]) -> Path:
    messages = [
        {"type": "message", "user": f"U{said.number % 2}", "text": said.text, "ts": f"{stamp(said.at):.6f}"}
        | ({"edited": {"user": "U0", "ts": f"{stamp(said.edited_at):.6f}"}} if said.edited_at else {})
        for said in chat
    ]
    users = [{"id": "U0", "real_name": "Ann", "tz": "Europe/Berlin"}, {"id": "U1", "real_name": "Ben"}]
    lists = {"users.json": users, "channels.json": [{"id": "C1", "name": "general"}]}
    return as_zip(path / "slack.zip", lists | {"general/2024-05-13.json": messages})


def telegram(path: Path, chat: Sequence[Said]) -> Path:
    messages = [
        {
            "id": said.number,
            "type": "message",
            "date": said.at.isoformat(),
            "date_unixtime": str(int(stamp(said.at))),
            "from": said.speaker,
            "from_id": f"user{said.number % 2}",
            "text": said.text,
        }
        | ({"edited_unixtime": str(int(stamp(said.edited_at)))} if said.edited_at else {})
        | ({"edited": said.edited_at.isoformat()} if said.edited_at else {})
        for said in chat
    ]
    data = {"name": "Ben", "type": "personal_chat", "id": 7, "messages": messages}
    return write(path / "result.json", json.dumps(data))


def whatsapp(path: Path, chat: Sequence[Said]) -> Path:
    mark = " <This message was edited>"
    lines = (
        f"{said.at:%d/%m/%Y, %H:%M} - {said.speaker}: {said.text}{mark if said.edited_at else ''}\n" for said in chat
    )
    return write(path / "WhatsApp Chat with Ben.txt", "".join(lines))


def jsonl(path: Path, chat: Sequence[Said]) -> Path:
    lines = (
        {"conversation": "c", "id": f"m{said.number}", "speaker": said.speaker, "text": said.text}
        | {"time": said.at.isoformat()}
        | ({"edited_at": said.edited_at.isoformat()} if said.edited_at else {})
        for said in chat
    )
    return write(path / "chat.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


def openai_messages(path: Path, chat: Sequence[Said]) -> Path:
    messages = [
        {"id": f"m{said.number}", "role": "user" if said.is_first_speaker else "assistant", "content": said.text}
        | {"created": int(stamp(said.at))}
        for said in chat
    ]
    return write(path / "chats.jsonl", json.dumps({"id": "c", "messages": messages}) + "\n")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def as_zip(path: Path, members: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in members.items():
            archive.writestr(name, json.dumps(value))
    return path


Writer = Callable[[Path, Sequence[Said]], Path]
EDITING: list[Writer] = [chatgpt, claude, slack, telegram, jsonl]
#: Formats that say nothing of an edit: here nothing was edited.
OTHERS: list[Writer] = [whatsapp, openai_messages]
#: Formats whose times have no zone.
CIVIL: list[Writer] = [whatsapp, jsonl]

NEWER = [Said(n, f"message {n} is about {TOPICS[n % 5]} and number {n * 7}") for n in range(N_MESSAGES + N_ADDED)]
OLDER = [said for said in NEWER[:N_MESSAGES] if said.number != LATE]


def edited(chat: Sequence[Said]) -> list[Said]:
    at = BEGIN + timedelta(days=1)
    return [replace(s, text=f"{s.text}, or not", edited_at=at) if s.number == EDITED else s for s in chat]


def newer(writer: Writer) -> list[Said]:
    return edited(NEWER) if writer in EDITING else NEWER


def backfill(app: App, *paths: Path, timezone: str | None = None) -> dict[str, Any]:
    """Runs the lake's stages over some archives of Ann's; the counts of ingest."""
    at, inputs = datetime.now(UTC), [ArchiveInput(path, user="ann", timezone=timezone) for path in paths]
    report = app.run("backfill", app.stages(inputs, at, Progress()), Progress(), at)
    counts: dict[str, Any] = report.counts()["ingest"]
    return counts


def cuts(app: App) -> dict[tuple[str, str], set[str]]:
    """Each chunk that was ever cut, by id and content, with the messages that it holds or reads before."""
    return {
        (row["chunk_id"], row["content_hash"]): {m["message_id"] for m in [*row["messages"], *row["lead"]]}
        for row in app.lake.read("chunks").to_pylist()
    }


def extracted(app: App) -> dict[str, str]:
    """The chunk that each of the extractor's answers is about; no answer is there twice."""
    rows = app.lake.read("extractions").to_pylist()
    answers = {row["extraction_id"]: row["chunk_id"] for row in rows}
    assert len(answers) == len(rows)
    return answers


def message_ids(app: App) -> set[str]:
    return set(app.lake.read("messages")["message_id"].to_pylist())


@pytest.mark.parametrize("writer", [*EDITING, *OTHERS])
def test_old_then_new_is_the_union_at_once(tmp_path: Path, writer: Writer) -> None:
    old, new = writer(tmp_path / "in/old", OLDER), writer(tmp_path / "in/new", newer(writer))
    app = make_app(tmp_path / "grown")
    first = backfill(app, old)
    assert (first["n_in"], first["n_out"]) == (len(OLDER), len(OLDER))
    second = backfill(app, new)
    n_new = N_ADDED + 1 + (writer in EDITING)
    assert (second["n_in"], second["n_out"], second["n_merged"]) == (len(NEWER), n_new, len(NEWER) - n_new)
    assert len(message_ids(app)) == len(NEWER)
    view = app.digest()["view"]
    for name, paths in {"both": [tmp_path / "in"], "turned": [new, old], "newer alone": [new]}.items():
        fresh = make_app(tmp_path / name)
        backfill(fresh, *paths)
        assert fresh.digest()["view"] == view, name
    before = app.digest()
    backfill(app, old)
    backfill(app, new)
    assert app.digest() == before


@pytest.mark.parametrize("writer", EDITING)
def test_an_edit_is_a_new_revision(tmp_path: Path, writer: Writer) -> None:
    app = make_app(tmp_path / "home")
    backfill(app, writer(tmp_path / "old", OLDER))
    backfill(app, writer(tmp_path / "new", edited(OLDER)))
    rows = app.lake.read("messages").to_pylist()
    assert len(rows) == len(OLDER) + 1
    (both,) = [ids for ids in ([r for r in rows if r["message_id"] == m] for m in message_ids(app)) if len(ids) > 1]
    assert {row["text"] for row in both} == {NEWER[EDITED].text, f"{NEWER[EDITED].text}, or not"}
    fresh = make_app(tmp_path / "fresh")  # in which only the edited text was ever seen
    backfill(fresh, writer(tmp_path / "new", edited(OLDER)))
    assert fresh.digest()["view"] == app.digest()["view"]


@pytest.mark.parametrize("writer", [*EDITING, *OTHERS])
def test_a_late_message_re_extracts_only_the_chunks_it_touches(tmp_path: Path, writer: Writer) -> None:
    app = make_app(tmp_path / "home")
    backfill(app, writer(tmp_path / "old", OLDER))
    answers, cut = extracted(app), cuts(app)
    known = message_ids(app)
    backfill(app, writer(tmp_path / "new", NEWER[:N_MESSAGES]))
    again = [chunk_id for answer, chunk_id in extracted(app).items() if answer not in answers]
    recut = {chunk: messages for chunk, messages in cuts(app).items() if chunk not in cut}
    (late,) = message_ids(app) - known
    assert any(late in messages for messages in recut.values())
    assert sorted(again) == sorted(chunk_id for chunk_id, _ in recut)
    # What it touches: the run of messages up to the next natural cut, and the chunk that reads its end before.
    assert len(recut) <= 4 and len(recut) < len(cut) / 2


@pytest.mark.parametrize("writer", CIVIL)
def test_a_corrected_time_zone_changes_times_and_no_id(tmp_path: Path, writer: Writer) -> None:
    old, new = writer(tmp_path / "in/old", OLDER), writer(tmp_path / "in/new", NEWER)
    app = make_app(tmp_path / "home")
    backfill(app, old, new)
    ids, n_revisions = message_ids(app), app.lake.read("messages").num_rows
    backfill(app, old, new, timezone="Europe/Berlin")
    assert message_ids(app) == ids and app.lake.read("messages").num_rows == n_revisions
    fresh = make_app(tmp_path / "fresh")
    backfill(fresh, old, new, timezone="Europe/Berlin")
    assert fresh.digest()["view"] == app.digest()["view"]
    times = {row["said_at"] for row in app.lake.read("message_sources").to_pylist() if row["timezone"]}
    assert min(times) == datetime(2024, 5, 13, 7, tzinfo=UTC)


@pytest.mark.parametrize("writer", [chatgpt, claude, slack, telegram, openai_messages])
def test_a_time_zone_moves_no_instant(tmp_path: Path, writer: Writer) -> None:
    path = writer(tmp_path / "in", OLDER)
    app = make_app(tmp_path / "home")
    backfill(app, path)
    before = app.digest()["view"]
    backfill(app, path, timezone="Asia/Tokyo")
    assert app.digest()["view"] == before


def test_an_edited_whatsapp_message_is_another_one(tmp_path: Path) -> None:
    """It has no id, so what it says names it. Its author and minute can't: an export that begins within a burst of
    messages, or lacks one that was deleted for one person alone, would give the next one its name and hide it.
    """
    app = make_app(tmp_path / "home")
    backfill(app, whatsapp(tmp_path / "old", OLDER))
    counts = backfill(app, whatsapp(tmp_path / "new", edited(NEWER)))
    assert counts["n_out"] == N_ADDED + 2
    assert len(message_ids(app)) == len(NEWER) + 1
