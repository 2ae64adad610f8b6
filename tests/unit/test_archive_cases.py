"""Field failures of archive parsing, held in the tables that ingest makes; readers hold them in their own tests.

Each test is named after its case. Where a case speaks of turns that are dropped, ours are kept as kind `system`.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from archive_reading import IDS, ingest, write_zip

from hypermnesia.contracts.tables import MESSAGE_SOURCES, MESSAGES
from hypermnesia.rules.revisions import messages_in_force

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return tmp_path / "keys"


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def in_order(rows: Rows) -> list[dict[str, Any]]:
    """The messages in force, in the order in which they were said."""
    tables = (MESSAGES.table(rows["messages"]), MESSAGE_SOURCES.table(rows["message_sources"]))
    return messages_in_force(*(pl.DataFrame(pl.from_arrow(table)) for table in tables)).to_dicts()


def chatgpt_message(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}, **more}


def chatgpt_talk(name: str, *messages: Any, title: Any = "T") -> dict[str, Any]:
    nodes = {f"n{n}": {"parent": f"n{n - 1}" if n else None, "message": m} for n, m in enumerate(messages)}
    return {"conversation_id": name, "title": title, "mapping": nodes, "current_node": f"n{len(messages) - 1}"}


def slack_export(path: Path, *messages: Any, **more: Any) -> Path:
    members = {"users.json": [{"id": "U1", "name": "ann"}], "channels.json": [{"id": "C1", "name": "general"}]}
    members |= {"general/2023-11-14.json": list(messages)} | more
    return write_zip(path, members)


def test_a01_one_thread_without_the_system_node(tmp_path: Path, keys: Path) -> None:
    nodes = {
        "r": {"parent": None, "message": None, "children": ["u1"]},
        "u1": {"parent": "r", "message": {"role": "user", "text": "My cat is called Biscuit."}},
        "s1": {"parent": "u1", "message": {"role": "system", "hidden": True, "text": "{profile json}"}},
        "a1": {"parent": "s1", "message": {"role": "assistant", "text": "Nice name."}},
    }
    rows = ingest(write(tmp_path / "conversations.json", [{"mapping": nodes, "current_node": "a1"}]), keys=keys)
    assert len({row["conversation_id"] for row in rows["messages"]}) == 1 and not rows["rejects"]
    said = {row["native_id"]: row for row in rows["messages"]}
    assert {name: row["kind"] for name, row in said.items()} == {"u1": "utterance", "s1": "system", "a1": "utterance"}
    assert said["a1"]["reply_to"] == "u1"
    assert [row["native_id"] for row in in_order(rows)] == ["u1", "s1", "a1"]


def test_a02_a_profile_has_no_time_and_no_speaker(tmp_path: Path, keys: Path) -> None:
    content = {"content_type": "user_editable_context", "user_profile": "Lives in Tarn; vegetarian"}
    hidden = {"is_visually_hidden_from_conversation": True}
    profile = {"author": {"role": "user"}, "content": content, "metadata": hidden}
    said = chatgpt_message("Hello", create_time=1_700_000_000)
    rows = ingest(write(tmp_path / "conversations.json", [chatgpt_talk("c", profile, said)]), keys=keys)
    seen = {row["message_id"]: row for row in rows["message_sources"]}
    told = {row["text"]: (row["kind"], seen[row["message_id"]]) for row in rows["messages"]}
    kind, source = told["Lives in Tarn; vegetarian"]
    assert (kind, source["role"], source["speaker"], source["said_at"]) == ("system", "system", "system", None)
    assert told["Hello"][1]["role"] == "user"


def test_a04_what_is_found_is_loaded_or_rejected(tmp_path: Path, keys: Path) -> None:
    talks = [chatgpt_talk("c1", chatgpt_message("a")), chatgpt_talk("c2", {"role": "user", "text": "hi"})]
    talks += [chatgpt_talk("c3", chatgpt_message("c")), {"conversation_id": "c4", "mapping": "broken"}]
    rows = ingest(write(tmp_path / "conversations.json", talks), keys=keys)  # the counts add up in there
    assert {(row["conversation"], row["text"]) for row in rows["messages"]} == {("c1", "a"), ("c2", "hi"), ("c3", "c")}
    assert [row["reason"] for row in rows["rejects"]] == ["not_a_conversation"]


def test_a05_shards_are_one_source(tmp_path: Path, keys: Path) -> None:
    shards = [
        [chatgpt_talk("c1", chatgpt_message("a")), chatgpt_talk("c2", chatgpt_message("b"))],
        [chatgpt_talk("c3", chatgpt_message("c"), title=None)],
    ]
    for n, talks in enumerate(shards):
        write(tmp_path / f"split/conversations-{n:03}.json", talks)
    write(tmp_path / "split/export_manifest.json", {"files": ["conversations-000.json", "conversations-001.json"]})
    whole = write(tmp_path / "whole/conversations.json", [*shards[0], *shards[1]])
    split, one = ingest(tmp_path / "split", keys=keys), ingest(whole, keys=keys)
    assert not split["rejects"]
    assert {r["message_id"] for r in split["messages"]} == {r["message_id"] for r in one["messages"]}
    assert len({row["conversation_id"] for row in split["messages"]}) == 3
    titles = {row["message_id"]: row["title"] for row in split["message_sources"]}
    assert sorted(map(str, titles.values())) == ["None", "T", "T"]


def test_a07_no_turn_is_lost(tmp_path: Path, keys: Path) -> None:
    note = {"file_name": "notes.txt", "extracted_content": "Invoice due 3 July"}
    tools = [{"type": "tool_use", "name": "search", "input": {"q": "july"}}, {"type": "tool_result", "content": "ok"}]
    turns = [
        {"uuid": "m1", "sender": "human", "text": "", "content": [], "attachments": [note]},
        {"uuid": "m2", "sender": "assistant", "text": "", "content": tools},
    ]
    rows = ingest(write(tmp_path / "conversations.json", [{"uuid": "c", "chat_messages": turns}]), keys=keys)
    assert not rows["rejects"]
    assert Counter(row["kind"] for row in rows["messages"]) == Counter(
        ("utterance", "attachment", "tool_call", "tool_result")
    )
    (came,) = (row for row in rows["messages"] if row["kind"] == "attachment")
    (head,) = (row for row in rows["messages"] if row["message_id"] == came["parent_message_id"])
    assert (came["text"], head["native_id"]) == ("Invoice due 3 July", "m1")


def test_a08_order_is_by_finite_times(tmp_path: Path, keys: Path) -> None:
    given = [
        {"ts": "1700000003.000000", "text": "c"},
        {"ts": "NaN", "text": "?"},
        {"ts": "1700000001.000000", "text": "a"},
        {"text": "no ts"},
        {"ts": "1700000002.000000", "text": "b"},
    ]
    rows = ingest(slack_export(tmp_path / "slack.zip", *given), keys=keys)
    assert [row["text"] for row in in_order(rows)] == ["a", "b", "c"]
    assert [(row["reason"], bool(row["remedy"])) for row in rows["rejects"]] == [("bad_time", True)] * 2


def test_a10_ids_are_of_the_strings_and_times_are_apart(tmp_path: Path, keys: Path) -> None:
    one, other = "1700000000.000101", "1700000000.000102"
    channels = [{"id": "C1", "name": "general"}, {"id": "C2", "name": "random"}]
    more = {"channels.json": channels, "random/2023-11-14.json": [{"ts": one, "text": "z"}]}
    given = [{"ts": one, "text": "x"}, {"ts": other, "text": "y"}]
    rows = ingest(slack_export(tmp_path / "slack.zip", *given, **more), keys=keys)
    assert {row["message_id"] for row in rows["messages"]} == {
        IDS.message(IDS.conversation("ann", "slack", channel), "", ts)
        for channel, ts in (("C1", one), ("C1", other), ("C2", one))
    }
    assert len({row["said_at"] for row in rows["message_sources"]}) == 2


def test_a11_a_new_name_is_no_new_person(tmp_path: Path, keys: Path) -> None:
    said = {"ts": "1700000000.000101", "user": "U1", "text": "<@U9>, <@U8> and <@USLACKBOT> approved it"}
    people = [[{"id": "U1", "name": "ann"}], [{"id": "U1", "profile": {"real_name": "Ann Lee"}}]]
    before, after = (
        ingest(slack_export(tmp_path / f"{n}.zip", said, **{"users.json": users}), keys=keys)
        for n, users in enumerate(people)
    )
    assert [row["speaker"] for rows in (before, after) for row in rows["message_sources"]] == ["ann", "Ann Lee"]
    (one,), (other,) = before["messages"], after["messages"]
    assert (one["message_id"], one["content_hash"]) == (other["message_id"], other["content_hash"])
    assert one["text"] == "@U9, @U8 and @Slackbot approved it"
    named = {pair["key"]: pair["value"] for pair in one["attributes"]}
    assert named == {"speaker_id": "U1", "mentions": "U9 U8 USLACKBOT"}


def test_a13_text_is_repaired_before_it_is_hashed(tmp_path: Path, keys: Path) -> None:
    lines = b'{"conversation": "c", "id": "1", "speaker": "A", "text": "ok \\ud83d"}\n'
    lines += b'{"conversation": "c", "id": "2", "speaker": "A", "text": "\xed\xa0\xbd\xed\xb8\x82"}\n'
    lines += b'{"conversation": "c", "id": "3", "speaker": "A", "text": "fine"}\n'
    rows = ingest(write(tmp_path / "a.jsonl", lines), keys=keys)
    assert not rows["rejects"]
    kept = {row["native_id"]: (row["text"], row["content_hash"]) for row in rows["messages"]}
    assert kept == {
        n: (text, IDS.content(text)) for n, text in (("1", "ok \ufffd"), ("2", "\U0001f602"), ("3", "fine"))
    }
    flags = [(row["locator"], row["is_repaired"]) for row in rows["message_sources"]]
    assert flags == [("line 1", True), ("line 2", True), ("line 3", False)]


def test_a14_no_nul_reaches_a_table(tmp_path: Path, keys: Path) -> None:
    line = {"conversation": "c\x00", "id": "1\x00", "speaker": "A\x00", "text": "a\x00b", "title": "T\x00"}
    spelled = {"conversation": "c", "id": "2", "speaker": "A", "text": "a\\u0000b"}
    data = "".join(json.dumps(row) + "\n" for row in (line, spelled)).encode()
    rows = ingest(write(tmp_path / "a.jsonl", data), keys=keys)
    assert {row["text"] for row in rows["messages"]} == {"ab", "a\\u0000b"}
    assert [row["is_repaired"] for row in rows["message_sources"]] == [True, False]
    assert [(row["speaker"], row["title"]) for row in rows["message_sources"]] == [("A", "T"), ("A", None)]
    assert "\x00" not in "".join(str(value) for table in rows.values() for row in table for value in row.values())


def test_a16_turns_are_kept_with_their_roles(tmp_path: Path, keys: Path) -> None:
    turns = [
        {"from": "human", "value": "a"},
        {"from": "human", "value": "b"},
        {"from": "assistant", "value": "c"},
        "stray string",
        {"from": "function_call", "value": "{}"},
        {"from": "narrator", "value": "d"},
    ]
    rows = ingest(write(tmp_path / "a.json", [{"id": "c", "conversations": turns}]), keys=keys)
    seen = sorted(rows["message_sources"], key=lambda row: row["position"])
    assert [row["role"] for row in seen] == ["user", "user", "assistant", "tool", "person"]
    assert seen[-1]["speaker"] == "narrator"  # a role that nobody knows is a person of that name, never dropped
    assert [(row["reason"], row["locator"]) for row in rows["rejects"]] == [("not_a_turn", "conversation 1 turn 4")]
