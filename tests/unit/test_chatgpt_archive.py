"""The ChatGPT reader: the active branch is the conversation, the rest is kept beside it, nothing is lost."""

from __future__ import annotations

import codecs
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from archive_reading import entries, refusals, write_zip
from conversations import IDS, START
from json_archives import Found, assert_memory_is_bounded, read, texts

from hypermnesia.adapters.secret_detectors import JoinedSecretDetector
from hypermnesia.adapters.vault import FileVault
from hypermnesia.archives import KnownArchives, files
from hypermnesia.archives.chatgpt import ChatgptReader
from hypermnesia.ports import Entry
from hypermnesia.rules.chunking import cut_chunks, in_sittings
from hypermnesia.rules.revisions import messages_in_force
from hypermnesia.stages.ingest import ArchiveInput, Ingest

REAL = Path(__file__).parents[3] / "shared/data/archives/chatgpt/conversations.json"
READER = ChatgptReader()
NOON = 1_700_000_000.25
HIDDEN = {"is_visually_hidden_from_conversation": True}


def message(text: Any = "hi", role: str = "user", kind: str = "text", **more: Any) -> dict[str, Any]:
    content = {"content_type": kind, "parts": text if isinstance(text, list) else [text]}
    return {"author": {"role": role}, "create_time": NOON, "content": content, "metadata": {}, **more}


def node(parent: str | None, said: Any = None, **more: Any) -> dict[str, Any]:
    return {"parent": parent, "message": said, **more}


def talk(nodes: dict[str, Any], current: str | None = None, name: str = "c1", **more: Any) -> dict[str, Any]:
    return {"conversation_id": name, "title": "T", "mapping": nodes, "current_node": current, **more}


def line(*messages: Any, **more: Any) -> dict[str, Any]:
    """A conversation without branches: nodes n1, n2, ... below an empty root."""
    nodes = {"root": node(None)}
    for n, said in enumerate(messages, start=1):
        nodes[f"n{n}"] = node(f"n{n - 1}" if n > 1 else "root", said)
    return talk(nodes, f"n{len(messages)}", **more)


def only(path: Path, said: dict[str, Any]) -> Found:
    return read(READER, path, [line(said)])


def outline(found: Found) -> list[tuple[str | None, str, str | None]]:
    return [(e.native_id, e.branch, e.reply_to) for e in entries(found)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.json"


def test_a_message_as_it_stands(path: Path) -> None:
    assert only(path, message(" Hi! ")) == [
        Entry(
            user=None,
            conversation="c1",
            locator="c1 node n1",
            text=" Hi! ",
            speaker="user",
            role="user",
            native_id="n1",
            title="T",
            written_at="1700000000.25",
            local="2023-11-14T22:13:20.250000+00:00",
        )
    ]


def test_a01_a_system_node_does_not_split_the_thread(path: Path) -> None:
    case = {
        "mapping": {
            "r": {"parent": None, "message": None, "children": ["u1"]},
            "u1": {"parent": "r", "message": {"role": "user", "text": "My cat is called Biscuit."}},
            "s1": {"parent": "u1", "message": {"role": "system", "hidden": True, "text": "{profile json}"}},
            "a1": {"parent": "s1", "message": {"role": "assistant", "text": "Nice name."}},
        },
        "current_node": "a1",
    }
    found = read(READER, path, case)
    assert outline(found) == [("u1", "", None), ("s1", "", "u1"), ("a1", "", "u1")]
    assert [(e.role, e.kind) for e in entries(found)] == [
        ("user", "utterance"),
        ("system", "system"),  # `extract` counts it as not said by anyone
        ("assistant", "utterance"),
    ]
    assert len({e.conversation for e in entries(found)}) == 1 and not refusals(found)


def chunked(path: Path) -> list[list[str]]:
    """Native ids of each chunk that the file gives, through ingest and the rules."""
    vault = FileVault(path.parent / "vault_keys", b"v" * 32, IDS, 64)
    ingest = Ingest([ArchiveInput(path, user="me")], KnownArchives(), IDS, 64, START, JoinedSecretDetector(), vault)
    (shard,) = ingest.plan()
    (part,) = ingest.run(shard)
    assert part.n_in == part.n_out + part.n_rejected
    frames = [pl.DataFrame(pl.from_arrow(part.tables[name])) for name in ("messages", "message_sources")]
    messages = messages_in_force(*frames)
    names = dict(zip(messages["message_id"], messages["native_id"], strict=True))
    return [[names[message] for message, _ in chunk.messages] for chunk in cut_chunks(in_sittings(messages), IDS)]


def test_a01_the_thread_is_one_chunk_in_its_order(path: Path) -> None:
    nodes = {
        "u1": node(None, message("My cat is called Biscuit.")),
        "s1": node("u1", message("{profile json}", "system", create_time=None, metadata=HIDDEN)),
        "a0": node("s1", message("Left.", "assistant")),
        "a1": node("s1", message("Nice name.", "assistant", create_time=None)),
    }
    path.write_text(json.dumps([talk(nodes, "a1")]), encoding="utf-8")
    assert chunked(path) == [["u1", "s1", "a1"]]


@pytest.mark.parametrize("is_hidden", [True, False])
def test_a02_custom_instructions_are_not_said_by_the_user(path: Path, is_hidden: bool) -> None:
    case = {
        "author": "user",
        "content_type": "user_editable_context",
        "metadata": HIDDEN if is_hidden else {},
        "user_profile": "Lives in Tarn; vegetarian",
    }
    real = {
        "author": {"role": "user"},
        "content": {
            "content_type": "user_editable_context",
            "user_profile": "Lives in Tarn",
            "user_instructions": "Be brief",
        },
        "metadata": HIDDEN if is_hidden else {},
    }
    found = entries(read(READER, path, [line(case, real, message("Hello"))]))
    assert [(e.text, e.role, e.kind, e.speaker) for e in found] == [
        ("Lives in Tarn; vegetarian", "system", "system", "system"),
        ("Lives in Tarn\nBe brief", "system", "system", "system"),
        ("Hello", "user", "utterance", "user"),
    ]
    assert [e.local for e in found[:2]] == [None, None]  # never a dated fact
    assert found[2].reply_to is None


def test_a04_missing_metadata_loses_nothing(path: Path) -> None:
    bare = {"role": "user", "text": "hi"}
    found = read(READER, path, [line(message("a")), line(bare, name="c2"), line(message("c"), name="c3")])
    assert texts(found) == ["a", "hi", "c"] and not refusals(found)


@pytest.mark.parametrize("is_zipped", [True, False])
def test_a05_split_files_are_one_source(tmp_path: Path, is_zipped: bool) -> None:
    members = {
        "conversations-000.json": [line(message("a")), line(message("b"), name="c2")],
        "conversations-001.json": [line(message("c"), name="c3") | {"title": None}],
        "export_manifest.json": {"files": ["conversations-000.json", "conversations-001.json"]},
        "chat.html": b"<html>",
    }
    found: Found = []
    if is_zipped:
        path = write_zip(tmp_path / "export.zip", members)
        recognised = KnownArchives().recognise(path)
        assert recognised is not None and recognised.name == "chatgpt"
        found = list(READER.read(path))
    else:
        for name in ("conversations-000.json", "conversations-001.json"):
            found += read(READER, tmp_path / name, members[name])
            recognised = KnownArchives().recognise(tmp_path / name)
            assert recognised is not None and recognised.name == "chatgpt"
    assert [(e.conversation, e.text, e.title) for e in entries(found)] == [
        ("c1", "a", "T"),
        ("c2", "b", "T"),
        ("c3", "c", None),
    ]
    assert not refusals(found)


def test_a13_surrogates_pass_to_the_repair(path: Path) -> None:
    data = json.dumps([line(message("ok \ud83d"), message("XX"))]).encode()
    found = read(READER, path, data.replace(b"XX", b"\xed\xa0\xbd\xed\xb8\x82"))
    assert texts(found) == ["ok \ud83d", "\ud83d\ude02"] and not refusals(found)


def test_a13_a_branch_is_text_that_every_store_takes(path: Path) -> None:
    nodes = {"r": node(None), "a\ud83d": node("r", message("x")), "b": node("r", message("y"))}
    assert [e.branch for e in entries(read(READER, path, [talk(nodes, "b")]))] == ["", "a\ufffd"]


def test_a14_nul_characters_pass_to_the_repair(path: Path) -> None:
    assert texts(read(READER, path, [line(message("a\x00b"), message("a\\u0000b"))])) == ["a\x00b", "a\\u0000b"]


def test_branches_are_kept_and_not_said_twice(path: Path) -> None:
    nodes = {
        "r": node(None, children=["u1"]),
        "u1": node("r", message("q"), children=["a1", "a2"]),
        "a1": node("u1", message("first answer", "assistant"), children=["u2"]),
        "u2": node("a1", message("old question"), children=["a3", "a4"]),
        "a3": node("u2", message("x", "assistant")),
        "a4": node("u2", message("y", "assistant")),
        "a2": node("u1", message("second answer", "assistant"), children=["u3"]),
        "u3": node("a2", message("new question")),
    }
    assert outline(read(READER, path, [talk(nodes, "u3")])) == [
        ("u1", "", None),
        ("a2", "", "u1"),
        ("u3", "", "a2"),
        ("a1", "a1", "u1"),
        ("u2", "a1", "a1"),
        ("a3", "a1", "u2"),
        ("a4", "a1", "u2"),
    ]


@pytest.mark.parametrize("current", [None, "gone", 7])
def test_without_a_current_node_the_newest_leaf_ends_the_conversation(path: Path, current: Any) -> None:
    nodes = {
        "r": node(None),
        "new": node("r", message("new", create_time=NOON + 5)),
        "old": node("r", message("old")),
    }
    assert outline(read(READER, path, [talk(nodes, current)])) == [("new", "", None), ("old", "old", None)]


@pytest.mark.parametrize("middle", [None, 7, {"parent": "u1"}, {"parent": "u1", "message": "text"}])
def test_a_broken_node_does_not_split_the_thread(path: Path, middle: Any) -> None:
    nodes = {
        "u1": node(None, message("a"), children=["x"]),
        "x": middle,
        "a1": node("x", message("b", "assistant")),
    }
    found = read(READER, path, [talk(nodes, "a1")])
    assert outline(found) == [("u1", "", None), ("a1", "", "u1")]
    is_structure = isinstance(middle, dict) and "message" not in middle
    assert refusals(found) == ([] if is_structure else [("not_a_message", "c1 node x")])


def test_a_parent_that_is_gone_loses_nothing(path: Path) -> None:
    nodes = {
        "u1": node(None, message("a", create_time=NOON - 9)),
        "a1": node("gone", message("b", "assistant")),
        "u2": node("a1", message("c")),
    }
    assert [(e.text, e.branch) for e in entries(read(READER, path, [talk(nodes, "u2")]))] == [
        ("a", ""),
        ("b", ""),
        ("c", ""),
    ]


def test_a_node_that_only_its_parent_knows_is_in_its_place(path: Path) -> None:
    nodes = {"u1": node(None, message("a"), children=["a1"]), "a1": {"message": message("b", "assistant")}}
    assert outline(read(READER, path, [talk(nodes, "a1")])) == [("u1", "", None), ("a1", "", "u1")]


def test_parents_in_a_circle_end(path: Path) -> None:
    nodes = {"a": node("b", message("a")), "b": node("a", message("b")), "c": node("c", message("c"))}
    assert sorted(texts(read(READER, path, [talk(nodes, "a")]))) == ["a", "b", "c"]


def test_a_deep_conversation(path: Path) -> None:
    found = read(READER, path, [line(*(message(f"m{n}") for n in range(3_000)))])
    assert texts(found) == [f"m{n}" for n in range(3_000)]


@pytest.mark.parametrize(
    "said",
    [
        message("x", "system"),
        message("x", "user", metadata=HIDDEN),
        message("x", "assistant", metadata=HIDDEN),
        message("x", "tool", author={"role": "tool", "name": "bio"}),
        message("x", "assistant", recipient="bio"),
        message("Model set context updated.", "tool"),
        message("# Model Set Context\n1. [2024-05-01]. Has a cat", "assistant"),
        {"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "thoughts": [{"content": "x"}]}},
        {"author": {"role": "assistant"}, "content": {"content_type": "reasoning_recap", "content": "x"}},
        {
            "author": {"role": "assistant"},
            "content": {"content_type": "model_editable_context", "model_set_context": "x"},
        },
    ],
)
def test_what_nobody_said_is_kept_apart(path: Path, said: dict[str, Any]) -> None:
    (entry,) = entries(only(path, said))
    assert (entry.role, entry.kind, entry.speaker) == ("system", "system", "system") and entry.text


def test_custom_instructions_of_2023(path: Path) -> None:
    told = {"about_user_message": "Lives in Tarn", "about_model_message": ""}
    said = message("", "system", metadata={"is_user_system_message": True, "user_context_message_data": told})
    assert [(e.text, e.kind) for e in entries(only(path, said))] == [("Lives in Tarn", "system")]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (message("x = 1", "assistant", recipient="python"), ("tool_call", "assistant", "assistant", "python")),
        (
            {
                "author": {"role": "assistant"},
                "recipient": "web",
                "content": {"content_type": "code", "text": "x = 1"},
            },
            ("tool_call", "assistant", "assistant", "web"),
        ),
        (
            {
                "author": {"role": "tool", "name": "python"},
                "content": {"content_type": "execution_output", "text": "x = 1"},
            },
            ("tool_result", "tool", "python", "python"),
        ),
        (
            {"author": {"role": "tool"}, "content": {"content_type": "tether_browsing_display", "result": "x = 1"}},
            ("tool_result", "tool", "tool", "tool"),
        ),
    ],
)
def test_tools(path: Path, said: dict[str, Any], expected: tuple[str, ...]) -> None:
    (entry,) = entries(only(path, said))
    assert (entry.kind, entry.role, entry.speaker, dict(entry.attributes)["tool"]) == expected
    assert entry.text == "x = 1"


def test_pictures_sound_and_files_are_attachments(path: Path) -> None:
    parts = [
        {
            "content_type": "image_asset_pointer",
            "asset_pointer": "file-service://file-1",
            "metadata": {"dalle": {"prompt": "a cat"}},
        },
        {"content_type": "audio_transcription", "text": "spoken", "direction": "in"},
        {
            "content_type": "real_time_user_audio_video_asset_pointer",
            "audio_asset_pointer": {"asset_pointer": "sediment://file_9"},
        },
        "written",
        None,
    ]
    files_named = [{"id": "file-1", "name": "cat.png"}, {"id": "f2", "name": "a.pdf", "mime_type": "application/pdf"}]
    said, *came = entries(only(path, message(parts, kind="multimodal_text", metadata={"attachments": files_named})))
    assert (said.text, said.kind) == ("spoken\nwritten", "utterance")
    assert [(e.part, e.text, e.attributes, e.native_id) for e in came] == [
        ("attachment/000", "a cat", (("type", "image"), ("name", "cat.png")), "n1"),
        ("attachment/001", "", (("type", "audio"), ("name", "file_9")), "n1"),
        ("attachment/002", "", (("type", "file"), ("name", "a.pdf")), "n1"),
    ]


def test_unknown_content_is_refused_by_its_type(path: Path) -> None:
    said = {"author": {"role": "assistant"}, "content": {"content_type": "hologram", "parts": ["x"]}}
    found = read(READER, path, [line(message("a"), said, message("b"))])
    assert refusals(found) == [("unknown_content", "c1 node n2")]
    assert [(e.text, e.reply_to) for e in entries(found)] == [("a", None), ("b", "n1")]
    odd = only(path, message(["a", {"content_type": "smell"}, 7], kind="multimodal_text"))
    assert texts(odd) == ["a"] and [getattr(e, "detail", "") for e in odd[1:]] == ["smell", "int"]


def test_an_empty_message_stays(path: Path) -> None:
    found = read(READER, path, [line(message(""), message([]), message("x", content=None))])
    assert texts(found) == ["", "", ""]


def test_a_message_without_a_time_has_that_of_the_one_before(path: Path) -> None:
    found = entries(read(READER, path, [line(*(message(create_time=t) for t in (None, NOON, None)))]))
    assert [e.local for e in found] == [None, "2023-11-14T22:13:20.250000+00:00", "2023-11-14T22:13:20.250000+00:00"]
    assert [e.attributes for e in found] == [(), (), (("time", "inherited"),)]
    begun = entries(read(READER, path, [line(message(create_time=None), create_time=NOON)]))
    assert [e.local for e in begun] == ["2023-11-14T22:13:20.250000+00:00"]


@pytest.mark.parametrize("time", ["yesterday", True, 1e30, 10**400, float("nan"), {}, "\ud83d"])
def test_a_bad_time_is_refused_and_the_message_is_kept(path: Path, time: Any) -> None:
    found = only(path, message(create_time=time))
    assert [(e.text, e.local) for e in entries(found)] == [("hi", None)]
    assert refusals(found) == [("bad_time", "c1 node n1")]


@pytest.mark.parametrize("broken", [{}, {"mapping": []}, [], {"mapping": None, "title": "x"}])
def test_a_broken_conversation_costs_itself(path: Path, broken: Any) -> None:
    found = read(READER, path, [line(message("a")), broken, line(message("c"), name="c3")])
    assert texts(found) == ["a", "c"]
    assert refusals(found) == [("not_a_conversation", "conversation 2")]


@pytest.mark.parametrize("title", [None, 7, {}])
def test_odd_fields_lose_nothing(path: Path, title: Any) -> None:
    odd = {"author": None, "content": None, "metadata": [], "recipient": 3, "update_time": "x"}
    one = line(odd, {}, {"author": {"role": 4, "name": 5}}) | {"title": title, "create_time": []}
    found = read(READER, path, [one])
    assert len(entries(found)) == 3 and {e.title for e in entries(found)} == {None}


def test_a_truncated_file_gives_what_is_whole(path: Path) -> None:
    data = json.dumps([line(message("a")), line(message("b"), name="c2")]).encode()
    found = read(READER, path, data[:-20])
    assert texts(found) == ["a"] and refusals(found) == [("broken_json", "conversation 2")]


def test_a_bom(path: Path) -> None:
    found = read(READER, path, codecs.BOM_UTF8 + json.dumps([line(message("é"))], ensure_ascii=False).encode())
    assert texts(found) == ["é"]
    assert READER.recognises(path, files.read_head(path))


def test_a_zip_names_what_it_does_not_read(tmp_path: Path) -> None:
    members = {"conversations.json": [line(message("a"))], "other.json": {"a": 1}, "user.json": {}, "../up.json": []}
    path = write_zip(tmp_path / "e.zip", members)
    found = list(READER.read(path))
    assert texts(found) == ["a"]
    assert sorted(refusals(found)) == [("no_conversations", "other.json"), ("unsafe_name", "../up.json")]
    empty = list(READER.read(write_zip(tmp_path / "n.zip", {"user.json": {}})))
    assert refusals(empty) == [("no_conversations", "n.zip")]


def test_a_damaged_zip_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "e.zip", {"conversations.json": [line(message(f"{n}" * 50)) for n in range(50)]})
    data = bytearray(path.read_bytes())
    data[200:260] = bytes(60)
    path.write_bytes(bytes(data))
    found = list(READER.read(path))
    assert ("broken_zip", "conversations.json") in refusals(found)


def test_memory_does_not_grow_with_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PIECE_BYTES", 64 * 1024)
    words = "all the same words again and again " * 4
    rows = {n: (line(*[message(words)] * 100, name=f"c{i}") for i in range(n)) for n in (6, 30)}
    assert_memory_is_bounded(READER, path, rows, jsonl=False)


def test_a_real_export() -> None:
    if not REAL.exists():
        pytest.skip("the ChatGPT export is not beside the repository")
    found = list(READER.read(REAL))
    assert not refusals(found)
    kinds = Counter(e.kind for e in entries(found))
    assert kinds == {"utterance": 20, "tool_call": 11, "tool_result": 11, "system": 2}
    assert {e.branch for e in entries(found)} == {""}
    times = [e.local for e in entries(found) if e.local]
    assert times == sorted(times) and len(times) == 42
    recognised = KnownArchives().recognise(REAL)
    assert recognised is not None and recognised.name == "chatgpt"
    assert [name for chunk in chunked(REAL) for name in chunk] == [e.native_id for e in entries(found)]
