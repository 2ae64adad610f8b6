"""An export that somebody unpacked is read as its zip is; a zip that breaks is refused with what to do."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from archive_reading import REAL, format_of, ingest, refusals, revisions, write_zip

from hypermnesia.archives import KnownArchives
from hypermnesia.archives.slack import SlackReader
from hypermnesia.stages.ingest import ArchiveInput

NODE = {"author": {"role": "user"}, "create_time": 1_700_000_000, "content": {"content_type": "text", "parts": ["hi"]}}
CHATGPT = [{"conversation_id": "c", "current_node": "n", "mapping": {"n": {"parent": None, "message": NODE}}}]
CLAUDE = [{"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "hi"}]}]
SLACK = {
    "users.json": [{"id": "U1", "name": "ann", "tz": "Europe/Berlin"}, {"id": "U2", "real_name": "Ben"}],
    "channels.json": [{"id": "C1", "name": "general"}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
    "integration_logs.json": [{"user_id": "U1"}],
    "general/2024-01-01.json": [{"type": "message", "user": "U1", "text": "hi <@U2>", "ts": "1704100000.000100"}],
    "general/2024-01-02.json": [{"type": "message", "user": "U2", "text": "ho", "ts": "1704200000.000100"}],
    "D1/2024-01-02.json": [{"type": "message", "user": "U1", "text": "psst", "ts": "1704200001.000100"}],
}
EXPORTS: dict[str, dict[str, Any]] = {
    "chatgpt": {
        "conversations.json": CHATGPT,
        "user.json": {"id": "u"},
        "message_feedback.json": [],
        "shared_conversations.json": [{"id": "s", "conversation_id": "c", "title": "T"}],
        "model_comparisons.json": [{"input": {"messages": [{"role": "user", "content": "x"}]}, "messages": []}],
        "chat.html": b"<html>",
        "file-1-photo.png": b"\x89PNG",
        "dalle-generations/made.webp": b"RIFF",
        "conv-1/audio/voice.wav": b"RIFF",
    },
    "chatgpt split": {"conversations-000.json": CHATGPT, "export_manifest.json": {"files": []}, "user.json": {}},
    "claude": {"conversations.json": CLAUDE, "users.json": [{"uuid": "u"}], "projects.json": [{"docs": []}]},
    "slack": SLACK,
    "slack in a folder": {f"Team/{name}": content for name, content in SLACK.items()},
}


def both(tmp_path: Path, members: dict[str, Any]) -> tuple[Path, Path]:
    """The export as a zip, and unpacked."""
    given = {name: c if isinstance(c, bytes) else json.dumps(c) for name, c in members.items()}
    path = write_zip(tmp_path / "export.zip", given)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "unpacked")
    return path, tmp_path / "unpacked"


@pytest.mark.parametrize("is_named", [False, True])
@pytest.mark.parametrize("name", EXPORTS)
def test_an_unpacked_export_is_the_same_messages(tmp_path: Path, name: str, is_named: bool) -> None:
    path, folder = both(tmp_path, EXPORTS[name])
    given = ArchiveInput(folder, name.split()[0] if is_named else None, "ann")
    zipped, unpacked = ingest(path, keys=tmp_path / "keys"), ingest(given, keys=tmp_path / "keys")
    assert zipped["messages"] and not zipped["rejects"] and not unpacked["rejects"]
    assert revisions(unpacked) == revisions(zipped)
    told = [
        {(s["message_id"], s["speaker"], s["title"], s["said_at"], s["timezone"]) for s in rows["message_sources"]}
        for rows in (zipped, unpacked)
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("name", EXPORTS)
def test_each_file_of_an_unpacked_export_has_a_word(tmp_path: Path, name: str) -> None:
    _, folder = both(tmp_path, EXPORTS[name])
    formats = {relative: format_of(file) for file, relative in KnownArchives().find(folder)}
    assert set(formats.values()) <= {name.split()[0], "sidecar"}
    lists = {name: word for name, word in formats.items() if name.endswith(("channels.json", "dms.json"))}
    assert set(lists.values()) <= {"slack"}


@pytest.mark.parametrize("name", ["user.json", "users.json", "chat.html", "photo.png", "2024-01-01.json", "lists.json"])
def test_the_same_name_elsewhere_is_anybodys_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "conversations.json").write_text("[]")
    (tmp_path / "general").mkdir()
    for path in (tmp_path / name, tmp_path / "general" / name):
        path.write_text("[]")
        assert format_of(path) is None


def test_a_chat_under_a_sidecars_name_elsewhere_is_read(tmp_path: Path) -> None:
    path = tmp_path / "user.json"
    path.write_text(json.dumps(CLAUDE))
    assert format_of(path) == "claude"


def test_no_chat_disappears_as_a_sidecar(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CLAUDE))
    assert refusals(KnownArchives().named("sidecar").read(path)) == [("unknown_format", "chat.json")]


def test_notes_beside_an_export_are_read(tmp_path: Path) -> None:
    _, folder = both(tmp_path, EXPORTS["chatgpt"])
    (folder / "notes.md").write_text("# A\ntext\n")
    assert format_of(folder / "notes.md") == "markdown"


def test_a_broken_list_is_told_once(tmp_path: Path) -> None:
    _, folder = both(tmp_path, SLACK | {"users.json": [7, *SLACK["users.json"]]})
    rows = ingest(folder, keys=tmp_path / "keys")
    assert [(r["reason"], r["archive"], r["locator"]) for r in rows["rejects"]] == [
        ("not_an_item", "users.json", "entry 1")
    ]
    assert {row["speaker"] for row in rows["message_sources"]} == {"ann", "Ben"}


def test_lists_that_change_are_read_again(tmp_path: Path) -> None:
    _, folder = both(tmp_path, SLACK)
    day = folder / "general/2024-01-02.json"
    (before,) = SlackReader().read(day)
    (folder / "users.json").write_text(json.dumps([{"id": "U2", "real_name": "Benjamin"}]))
    (after,) = SlackReader().read(day)
    assert (getattr(before, "speaker", ""), getattr(after, "speaker", "")) == ("Ben", "Benjamin")
    assert getattr(before, "native_id", "") == getattr(after, "native_id", None)


def test_a_file_of_no_day_in_a_slack_export_is_refused(tmp_path: Path) -> None:
    _, folder = both(tmp_path, SLACK | {"general/notes.json": [1]})
    assert refusals(SlackReader().read(folder / "general/notes.json"))
    assert format_of(folder / "general/notes.json") is None


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize("damage", ["half", "middle"])
def test_a_damaged_zip_says_so_without_a_format(tmp_path: Path, name: str, damage: str) -> None:
    path, _ = both(tmp_path, EXPORTS[name])
    data = bytearray(path.read_bytes())
    if damage == "half":
        del data[len(data) // 2 :]
    else:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                start = info.header_offset + 30 + len(info.filename)
                data[start : start + 4] = b"\xff" * 4
    path.write_bytes(bytes(data))
    rows = ingest(path, keys=tmp_path / "keys")
    assert not rows["messages"] and rows["rejects"]
    assert {row["reason"] for row in rows["rejects"]} <= {"broken_zip", "no_messages"}
    assert any("damaged or only half downloaded" in row["remedy"] for row in rows["rejects"])


def test_a_sound_zip_of_no_format_is_not_called_damaged(tmp_path: Path) -> None:
    assert format_of(write_zip(tmp_path / "a.zip", {"a.json": "[]", "b.txt": "x"})) is None


def test_the_real_slack_export_unpacked(tmp_path: Path) -> None:
    path = REAL / "slack/testarchive.zip"
    if not path.exists():
        pytest.skip("the real Slack export is not beside the repository")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "unpacked")
    zipped, unpacked = ingest(path, keys=tmp_path / "k"), ingest(tmp_path / "unpacked", keys=tmp_path / "k")
    assert not unpacked["rejects"] and revisions(unpacked) == revisions(zipped)
