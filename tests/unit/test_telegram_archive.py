"""The Telegram reader: one chat or all of an account's, streamed; a broken message costs itself."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pytest
from archive_reading import REAL, entries, format_of, peak, refusals

from hypermnesia.archives import files
from hypermnesia.archives.telegram import TelegramReader
from hypermnesia.ports import Entry, Refusal

CHAT = {"name": "Ann Lee", "type": "personal_chat", "id": 4711}


def say(n: int = 1, text: Any = "hi", **more: Any) -> dict[str, Any]:
    named = {"from": "Ann Lee", "from_id": "user4711"}
    return {"id": n, "type": "message", "date_unixtime": "1700000000", **named, "text": text, **more}


def read(path: Path, content: Any) -> list[Entry | Refusal]:
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return list(TelegramReader().read(path))


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {**CHAT, **more, "messages": list(messages)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "result.json"


def test_a_message_as_it_stands(path: Path) -> None:
    assert read(path, chat(say(7, reply_to_message_id=3))) == [
        Entry(
            user=None,
            conversation="4711",
            locator="messages 1",
            text="hi",
            speaker="Ann Lee",
            role="person",
            native_id="7",
            title="Ann Lee",
            written_at="1700000000",
            local="2023-11-14T22:13:20+00:00",
            reply_to="3",
            attributes=(("speaker_id", "user4711"),),
        )
    ]
    assert format_of(path) == "telegram"


def test_a_whole_export_has_its_owner(path: Path) -> None:
    account = {
        "about": "Here is the data you requested.",
        "personal_information": {"user_id": 99, "first_name": "Me"},
        "contacts": {"list": [{"first_name": "Ann"}]},
        "chats": {"about": "", "list": [chat(say(1)), chat(say(1, from_id="user99"), id=5, name=None)]},
        "left_chats": {"list": [chat(say(1), type="saved_messages", name=None, id=6)]},
    }
    found = entries(read(path, account))
    assert format_of(path) == "telegram"
    assert [(e.user, e.conversation, e.title, e.role) for e in found] == [
        ("user99", "4711", "Ann Lee", "person"),
        ("user99", "5", None, "user"),
        ("user99", "6", "Saved Messages", "person"),
    ]
    assert found[1].locator == "chats list 2 messages 1"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        (["Go to ", {"type": "link", "text": "https://x.org"}, "!"], "Go to https://x.org!"),
        ([{"type": "text_link", "text": "here", "href": "https://x.org"}], "here (https://x.org)"),
        ([{"type": "mention", "text": "@ann"}, {"type": "custom_emoji", "text": "😀", "document_id": "x"}], "@ann😀"),
        ([], ""),
    ],
)
def test_text_in_parts(path: Path, text: Any, shown: str) -> None:
    assert [e.text for e in entries(read(path, chat(say(text=text))))] == [shown]


@pytest.mark.parametrize(
    ("more", "local", "revised"),
    [
        ({"date": "2023-11-14T23:13:20"}, "2023-11-14T23:13:20+01:00", None),
        ({"date": "2023-11-15T03:43:20"}, "2023-11-15T03:43:20+05:30", None),
        ({"date": "2020-01-01T00:00:00"}, "2023-11-14T22:13:20+00:00", None),  # another day: no zone explains it
        ({"date_unixtime": None, "date": "2023-11-14T23:13:20"}, "2023-11-14T23:13:20", None),
        ({"date_unixtime": 1700000000}, "2023-11-14T22:13:20+00:00", None),
        ({"edited_unixtime": "1700000060"}, "2023-11-14T22:13:20+00:00", "2023-11-14T22:14:20+00:00"),
        ({"edited": "2023-11-14T23:14:20"}, "2023-11-14T22:13:20+00:00", "2023-11-14T23:14:20"),
    ],
)
def test_times(path: Path, more: dict[str, Any], local: str, revised: str | None) -> None:
    found = read(path, chat(say(**more)))
    assert [(e.local, e.revised_at) for e in entries(found)] == [(local, revised)] and not refusals(found)


@pytest.mark.parametrize("time", ["NaN", "", "-1", "1e9", 1.5, True, None, [], "9" * 30])
def test_a_bad_time_keeps_its_message(path: Path, time: Any) -> None:
    found = read(path, chat(say(date_unixtime=time), say(2, edited=7)))
    assert [(e.text, e.local is None) for e in entries(found)] == [("hi", True), ("hi", False)]
    assert refusals(found) == [("bad_time", "messages 1"), ("bad_time", "messages 2 edited")]


def test_who_speaks_and_whose_words_they_are(path: Path) -> None:
    found = entries(
        read(
            path,
            chat(
                say(**{"from": None}),
                say(**{"from": None, "from_id": None}),
                say(forwarded_from="Ben"),
                say(via_bot="@gif"),
            ),
        )
    )
    assert [e.speaker for e in found] == ["user4711", "unknown", "Ann Lee", "Ann Lee"]
    assert dict(found[2].attributes)["forwarded_from"] == "Ben"


def test_service_messages_are_the_apps(path: Path) -> None:
    service = {"id": 1, "type": "service", "date_unixtime": "1700000000", "actor": "Ann", "text": ""}
    found = entries(
        read(
            path,
            chat(
                service | {"action": "create_group", "title": "Trip", "members": ["Ben", None]},
                service | {"action": "phone_call"},
                service | {"actor": None, "actor_id": "user1"},
            ),
        )
    )
    assert {(e.kind, e.role) for e in found} == {("system", "system")}
    assert [e.text for e in found] == ["Ann create group: Trip, Ben", "Ann phone call", "user1"]


@pytest.mark.parametrize(
    ("more", "text", "attributes"),
    [
        ({"photo": "photos/photo_1.jpg"}, "", {"type": "image", "name": "photo_1.jpg"}),
        ({"photo": "(File not included. Change data exporting settings to download.)"}, "", {"type": "image"}),
        (
            {"file": "files/Lease.pdf", "mime_type": "application/pdf"},
            "Lease.pdf",
            {"type": "file", "name": "Lease.pdf", "mime_type": "application/pdf"},
        ),
        (
            {"file": "stickers/s.webp", "media_type": "sticker", "sticker_emoji": "😀"},
            "😀",
            {"type": "sticker", "name": "s.webp"},
        ),
        ({"file": "v.ogg", "media_type": "voice_message"}, "", {"type": "audio", "name": "v.ogg"}),
        (
            {"file": "a.mp3", "media_type": "audio_file", "performer": "Abba", "title": "SOS"},
            "Abba - SOS",
            {"type": "audio", "name": "a.mp3"},
        ),
        (
            {"poll": {"question": "Lunch?", "answers": [{"text": "soup"}, {"text": "pie"}]}},
            "Lunch?\nsoup\npie",
            {"type": "poll"},
        ),
        (
            {"contact_information": {"first_name": "Ben", "last_name": "", "phone_number": "+44"}},
            "Ben +44",
            {"type": "contact"},
        ),
        (
            {"location_information": {"latitude": 1.5, "longitude": 2}, "place_name": "Cafe"},
            "Cafe, 1.5, 2",
            {"type": "location"},
        ),
    ],
)
def test_media_are_attachments(path: Path, more: dict[str, Any], text: str, attributes: dict[str, str]) -> None:
    message, medium = entries(read(path, chat(say(text="", **more))))
    assert (message.kind, message.text) == ("utterance", "")
    assert (medium.kind, medium.part, medium.text) == ("attachment", "attachment/000", text)
    assert dict(medium.attributes) == attributes
    assert medium.native_id == message.native_id


@pytest.mark.parametrize(
    "broken",
    [
        None,
        7,
        "x",
        [],
        {},
        say() | {"type": "unsupported"},
        say() | {"type": ["message"]},
        say(text=7),
        say(text=[7]),
        say() | {"id": 1.5},
    ],
)
def test_a_broken_message_costs_itself(path: Path, broken: Any) -> None:
    found = read(path, chat(say(1), broken, say(3)))
    assert [e.native_id for e in entries(found)] == ["1", "3"]
    assert refusals(found) == [("not_a_message", "messages 2")]


def test_odd_fields_never_raise(path: Path) -> None:
    odd = {"poll": {"question": 1, "answers": 7}, "contact_information": {"first_name": []}, "photo": 7, "file": None}
    odd |= {"location_information": {}, "media_type": [], "from": {}, "from_id": [], "reply_to_message_id": {}}
    found = read(path, chat(say(**odd), {"type": "service", "members": [{}], "action": 7, "date": []}))
    assert [r for r, _ in refusals(found)] == ["bad_time"]
    assert [e.speaker for e in entries(found) if not e.part] == ["unknown", "unknown"]


def test_chats_that_are_none_are_refused(path: Path) -> None:
    broken = {"chats": {"list": [7, {"name": "x", "messages": None}, chat(say())]}}
    found = read(path, broken)
    assert refusals(found) == [
        ("not_a_chat", "chats list 1"),
        ("not_a_chat", "chats list 2 messages"),
    ]
    assert len(entries(found)) == 1
    for other in (7, "x", None, [], [chat(say())], {"about": "x", "chats": []}):
        assert refusals(read(path, other)) == [("no_messages", "the end")]
    assert refusals(read(path, {"about": "x"})) == [("no_messages", "the end")]
    assert refusals(read(path, b"")) == [("empty_file", "the end")]


def test_a_cut_off_file_gives_what_is_whole(path: Path) -> None:
    data = json.dumps(chat(say(1), say(2))).encode()
    found = read(path, data[:-20])
    assert [e.native_id for e in entries(found)] == ["1"]
    assert refusals(found) == [("broken_json", "messages 2")]
    broken = data.replace(b'"id": 1,', b'"id": 1 1,')
    assert [e.native_id for e in entries(read(path, broken))] == ["2"]


@pytest.mark.parametrize("codec", [("utf-8", codecs.BOM_UTF8), ("utf-16-le", codecs.BOM_UTF16_LE)])
def test_a_bom_names_the_encoding(path: Path, codec: tuple[str, bytes]) -> None:
    text = json.dumps(chat(say(text="Grüße 😀")), ensure_ascii=False)
    assert [e.text for e in entries(read(path, codec[1] + text.encode(codec[0])))] == ["Grüße 😀"]
    assert format_of(path) == "telegram"


@pytest.mark.parametrize("size", [1, 3, 64])
def test_a13_surrogates_pass_to_text_repair(path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(files, "PIECE_BYTES", size)
    data = json.dumps(chat(say(text="ok \ud83d XX"))).encode().replace(b"XX", b"\xed\xa0\xbd\xed\xb8\x82")
    assert [e.text for e in entries(read(path, data))] == ["ok \ud83d \ud83d\ude02"]
    assert [r for r, _ in refusals(read(path, data.replace(b"\xed\xa0\xbd", b"\xff")))] == ["bad_encoding"]


@pytest.mark.parametrize(
    "content",
    [
        {"messages": [{"sender_name": "John", "timestamp_ms": 1, "content": "hi"}]},
        {"messages": [{"role": "user", "content": "hi"}]},
        [{"mapping": {}}],
        {"about": "x"},
    ],
)
def test_other_files_are_not_taken(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
    assert format_of(path) != "telegram"


def test_memory_does_not_grow_with_a_chat(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PIECE_BYTES", 64 * 1024)
    peaks = []
    for n in (1_200, 4_000):
        path.write_text(json.dumps(chat(*(say(i, "the same words again " * 8) for i in range(n)))), encoding="utf-8")
        n_found, most = peak(TelegramReader(), path)
        assert n_found == n
        peaks.append(most)
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize("name", ["test_single_export.json", "test_batch_export.json"])
def test_the_real_exports(name: str) -> None:
    path = REAL / "whatsapp-telegram-signal" / name
    if not path.exists():
        pytest.skip("the real Telegram exports are not beside the repository")
    found = list(TelegramReader().read(path))
    assert format_of(path) == "telegram" and not refusals(found)
    assert [(e.speaker, e.text, e.local) for e in entries(found)] == [
        ("Author 1", "Minimal Message", "2018-12-05T10:39:10+00:00"),
        ("Author 2", "Link:https://telegram.org/", "2018-12-05T10:49:24+00:00"),
    ]
