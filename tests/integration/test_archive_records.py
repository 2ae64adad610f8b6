"""Field failures of archive parsing, held in the records that the stages make: what is evidence, and what never is."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from homes import make_app

from hypermnesia.engine.progress import Progress
from hypermnesia.stages.ingest import ArchiveInput


def remembered(tmp_path: Path, conversation: Any) -> tuple[dict[str, str], set[str]]:
    """(kind of each message by its text, texts that a record cites) of a backfill of one conversation."""
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([conversation]))
    app, at = make_app(tmp_path / "home"), datetime.now(UTC)
    inputs = [ArchiveInput(path, user="ann")]
    app.run("backfill", app.stages(inputs, at, Progress()), Progress(), at)
    messages = app.lake.read("messages").to_pylist()
    cited = {c["message_id"] for row in app.lake.read("records").to_pylist() for c in row["cited"]}
    kinds = {row["text"]: row["kind"] for row in messages}
    return kinds, {row["text"] for row in messages if row["message_id"] in cited}


def test_a01_a_hidden_node_is_no_evidence(tmp_path: Path) -> None:
    nodes = {
        "r": {"parent": None, "message": None, "children": ["u1"]},
        "u1": {"parent": "r", "message": {"role": "user", "text": "My cat is called Biscuit."}},
        "s1": {"parent": "u1", "message": {"role": "system", "hidden": True, "text": "{profile json}"}},
        "a1": {"parent": "s1", "message": {"role": "assistant", "text": "Nice name."}},
    }
    kinds, cited = remembered(tmp_path, {"mapping": nodes, "current_node": "a1"})
    assert kinds["{profile json}"] == "system"
    assert "My cat is called Biscuit." in cited and "{profile json}" not in cited


def test_a02_custom_instructions_are_no_evidence(tmp_path: Path) -> None:
    content = {"content_type": "user_editable_context", "user_profile": "Lives in Tarn; vegetarian"}
    profile = {"author": {"role": "user"}, "content": content}
    said = {"author": {"role": "user"}, "create_time": 1_700_000_000}
    said |= {"content": {"content_type": "text", "parts": ["My cat is called Biscuit."]}}
    nodes = {"p": {"parent": None, "message": profile}, "u": {"parent": "p", "message": said}}
    kinds, cited = remembered(tmp_path, {"conversation_id": "c", "mapping": nodes, "current_node": "u"})
    assert kinds["Lives in Tarn; vegetarian"] == "system"
    assert cited == {"My cat is called Biscuit."}


def test_a07_what_came_with_an_empty_message_is_evidence(tmp_path: Path) -> None:
    note = {"file_name": "notes.txt", "extracted_content": "The invoice is due on 3 July."}
    turn = {"uuid": "m1", "sender": "human", "text": "", "content": [], "attachments": [note]}
    _, cited = remembered(tmp_path, {"uuid": "c", "chat_messages": [turn]})
    assert "The invoice is due on 3 July." in cited
