"""The Slack reader: identity by channel and `ts`, names by id, threads, edits, deletions; constant memory."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from archive_reading import REAL, entries, format_of, peak, refusals, write_zip

from hypermnesia.archives import files
from hypermnesia.archives.slack import SlackReader
from hypermnesia.archives.slack_markup import readable
from hypermnesia.ports import Entry, Refusal

USERS = [
    {"id": "U1", "name": "ann", "tz": "Europe/Berlin", "profile": {"real_name": "Ann Lee", "display_name": "annie"}},
    {"id": "U2", "name": "ben", "tz": "Mars/Base", "real_name": "Ben"},
    {"id": "UB", "name": "deploys", "is_bot": True},
]
CHANNELS = [{"id": "C1", "name": "general", "members": ["U1"]}, {"id": "C2", "name": "random"}]
TS = "1700000000.000101"


def say(ts: Any = TS, text: Any = "hi", user: Any = "U1", **more: Any) -> dict[str, Any]:
    return {"type": "message", "ts": ts, "text": text, "user": user, **more}


def export(path: Path, *messages: Any, **files_: Any) -> Path:
    members: dict[str, Any] = {"channels.json": CHANNELS, "users.json": USERS, "general/2023-11-14.json": messages}
    members |= {name.replace("__", "/") + ".json": content for name, content in files_.items()}
    return write_zip(path, members)


def read(path: Path, *messages: Any, **files_: Any) -> list[Entry | Refusal]:
    return list(SlackReader().read(export(path, *messages, **files_)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Team Slack export Nov 1 2023 - Nov 30 2023.zip"


def test_a_message_as_it_stands(path: Path) -> None:
    assert read(path, say(text="Tea &amp; <@U2>")) == [
        Entry(
            user=None,
            conversation="C1",
            locator="general/2023-11-14.json message 1",
            text="Tea & @Ben",
            speaker="Ann Lee",
            role="person",
            native_id=TS,
            title="general",
            written_at=TS,
            local="2023-11-14T22:13:20.000101+00:00",
            timezone="Europe/Berlin",
            attributes=(("speaker_id", "U1"), ("mentions", "U2")),
        )
    ]
    assert format_of(path) == "slack"


def test_a08_a_bad_time_costs_itself(path: Path) -> None:
    given = [
        {"ts": "1700000003.000000", "text": "c"},
        {"ts": "NaN", "text": "?"},
        {"ts": "1700000001.000000", "text": "a"},
        {"text": "no ts"},
        {"ts": "1700000002.000000", "text": "b"},
    ]
    found = read(path, *given)
    in_order = sorted(entries(found), key=lambda e: e.local or "")  # the stage orders by time
    assert [e.text for e in in_order] == ["a", "b", "c"]
    where = "general/2023-11-14.json message"
    assert refusals(found) == [("bad_time", f"{where} 2"), ("bad_time", f"{where} 4")]


@pytest.mark.parametrize(
    "ts", [1700000000.0001, 1700000000, "inf", "-1.0", "1e9", "", None, [], "99999999999999.0", "٣"]
)
def test_only_text_with_finite_digits_is_a_time(path: Path, ts: Any) -> None:
    assert [r for r, _ in refusals(read(path, say(ts), say()))] == ["bad_time"]


def test_a10_identity_is_the_channel_and_the_text_of_ts(path: Path) -> None:
    one, other = "1700000000.000101", "1700000000.000102"
    found = entries(read(path, say(one, "x"), say(other, "y"), **{"random__2023-11-14": [say(one, "z")]}))
    named = [(e.conversation, e.native_id, e.text) for e in found]
    assert named == [("C1", one, "x"), ("C1", other, "y"), ("C2", one, "z")]
    assert len({(e.conversation, e.native_id) for e in found}) == 3
    assert found[0].local < found[1].local  # type: ignore[operator]


def test_a11_unknown_people_keep_their_ids(path: Path) -> None:
    message = {"ts": TS, "user": "U1", "text": "<@U9> and <@USLACKBOT> approved it"}
    (said,) = entries(read(path, message, users=[{"id": "U1", "name": "ann"}]))
    assert said.text == "@U9 and @Slackbot approved it"
    assert dict(said.attributes) == {"speaker_id": "U1", "mentions": "U9 USLACKBOT"}
    renamed = entries(read(path, message, users=[{"id": "U1", "name": "ann", "profile": {"display_name": "A"}}]))
    assert (renamed[0].native_id, dict(renamed[0].attributes)["speaker_id"]) == (TS, "U1")
    (unknown,) = entries(read(path, say(user="U9")))
    assert (unknown.speaker, unknown.role) == ("U9", "person")


def test_a13_lone_surrogates_pass_to_text_repair(path: Path) -> None:
    raw = b'[{"ts": "1700000000.000101", "user": "U1", "text": "ok \\ud83d \xed\xa0\xbd\xed\xb8\x82"}]'
    (said,) = entries(read(path, **{"general__2023-11-14": raw}))
    assert said.text == "ok \ud83d \ud83d\ude02"


def test_a_thread_reply_stays_in_its_channel(path: Path) -> None:
    root = say("1700000000.000100", "root", thread_ts="1700000000.000100", reply_count=1)
    reply = say("1700000009.000100", "reply", thread_ts="1700000000.000100")
    found = entries(read(path, root, reply))
    assert [(e.reply_to, e.session, e.conversation) for e in found] == [
        (None, None, "C1"),
        ("1700000000.000100", None, "C1"),
    ]


def test_edits_and_deletions(path: Path) -> None:
    found = entries(
        read(
            path,
            say("1700000001.000100", "now", edited={"user": "U1", "ts": "1700000060.000000"}),
            {
                "type": "message",
                "subtype": "message_changed",
                "ts": "1700000090.000200",
                "message": say("1700000002.000100", "after"),
                "previous_message": say("1700000002.000100", "before"),
            },
            {
                "type": "message",
                "subtype": "message_deleted",
                "ts": "1700000099.000200",
                "deleted_ts": "1700000003.000100",
                "previous_message": say("1700000003.000100", "oops"),
            },
            say("1700000004.000100", "This message was deleted.", "USLACKBOT", subtype="tombstone"),
            {"type": "message", "subtype": "message_deleted", "ts": "1.2", "deleted_ts": "1700000005.000100"},
        )
    )
    assert [(e.native_id, e.text, e.revised_at, e.is_deleted) for e in found] == [
        ("1700000001.000100", "now", "2023-11-14T22:14:20+00:00", False),
        ("1700000002.000100", "before", None, False),
        ("1700000002.000100", "after", "2023-11-14T22:14:50.000200+00:00", False),
        ("1700000003.000100", "oops", None, True),
        ("1700000004.000100", "This message was deleted.", None, True),
        ("1700000005.000100", "", None, True),
    ]


@pytest.mark.parametrize(
    ("more", "kind", "role"),
    [
        ({"subtype": "channel_join"}, "system", "system"),
        ({"subtype": "channel_topic"}, "system", "system"),
        ({"subtype": "group_purpose"}, "system", "system"),
        ({"subtype": "bot_add"}, "system", "system"),
        ({"subtype": "pinned_item"}, "system", "system"),
        ({"subtype": "bot_message", "user": None, "username": "ci"}, "utterance", "tool"),
        ({"user": None, "bot_id": "B1"}, "utterance", "tool"),
        ({"user": "UB"}, "utterance", "tool"),
        ({"user": "USLACKBOT"}, "utterance", "tool"),
        ({"subtype": "thread_broadcast"}, "utterance", "person"),
        ({"subtype": "me_message"}, "utterance", "person"),
        ({"subtype": "brand_new_subtype"}, "utterance", "person"),
        ({"subtype": 7}, "utterance", "person"),
    ],
)
def test_subtypes(path: Path, more: dict[str, Any], kind: str, role: str) -> None:
    (said,) = entries(read(path, say() | more))
    assert (said.kind, said.role) == (kind, role)


def test_who_speaks(path: Path) -> None:
    speakers = [
        say(user="U9", user_profile={"real_name": "Guest"}),
        say(user=None, username="ci"),
        say(user=None, bot_profile={"name": "Jira"}, bot_id="B1"),
        say(user=None, bot_id="B1"),
        say(user=None),
        say(user=None, subtype="file_comment", comment={"user": "U2"}),
    ]
    assert [e.speaker for e in entries(read(path, *speakers))] == ["Guest", "ci", "Jira", "B1", "unknown", "Ben"]


def test_files_and_previews_are_attachments(path: Path) -> None:
    memo = {"preview": {"content": "see you at ten"}}
    message = say(
        text="",
        files=[
            {"id": "F1", "name": "a.png", "title": "The cat", "mimetype": "image/png"},
            {"name": "memo.m4a", "mimetype": "audio/mp4", "transcription": memo},
            {"name": "x.py", "preview": "a < b &amp; <@U1>"},
            "broken",
        ],
        attachments=[{"pretext": "1 new commit", "fields": [{"title": "Job", "value": "green"}]}, {"fallback": "f"}],
    )
    said, *came = entries(read(path, message))
    assert (said.text, said.kind) == ("", "utterance")
    assert [(e.part, e.text) for e in came] == [
        ("attachment/000", "The cat"),
        ("attachment/001", "memo.m4a\nsee you at ten"),
        ("attachment/002", "x.py\na < b &amp; <@U1>"),
        ("attachment/003", "1 new commit\nJob: green"),
        ("attachment/004", "f"),
    ]
    assert came[0].attributes == (("type", "image"), ("name", "a.png"), ("file_id", "F1"))
    assert {replace(e, text="", kind="", part="", attributes=()) for e in [said, *came]} == {
        replace(said, text="", kind="", attributes=())
    }


def test_blocks_speak_where_there_is_no_text(path: Path) -> None:
    words = [{"type": "text", "text": "Ask "}, {"type": "user", "user_id": "U2"}]
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": words}]}]
    deep: Any = "x"
    for _ in range(100):
        deep = {"elements": [deep]}
    found = entries(read(path, say(text="", blocks=blocks), say(text=None, blocks=[deep])))
    assert [e.text for e in found] == ["Ask @Ben", ""]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<http://x.org|our page>", "our page (http://x.org)"),
        ("<http://x.org|x.org> <http://y.org>", "http://x.org http://y.org"),
        ("<mailto:a@b.c|a@b.c>", "a@b.c"),
        ("<#C1> <#C9> <#C2|random>", "#general #C9 #random"),
        ("<!here> <!subteam^S1|@devs> <!date^1^{date}|today>", "@here @devs today"),
        ("<@U1|annie> 1 &lt; 2", "@Ann Lee 1 < 2"),
        ("a < b > c, <b>", "a < b > c, <b>"),
    ],
)
def test_markup(text: str, shown: str) -> None:
    people, channels = {"U1": "Ann Lee"}, {"C1": "general"}
    assert readable(text, lambda u: people.get(u, u), lambda c: channels.get(c, c)) == shown


def test_direct_conversations_are_titled_by_their_people(path: Path) -> None:
    found = entries(
        read(
            path,
            dms=[{"id": "D1", "members": ["U1", "U2"]}],
            mpims=[{"id": "G1", "name": "mpdm-ann--ben-1", "members": ["U1", "U9"]}],
            **{
                "D1__2023-11-14": [say()],
                "mpdm-ann--ben-1__2023-11-14": [say()],
                "unlisted__2023-11-14": [say()],
            },
        )
    )
    assert {(e.conversation, e.title) for e in found} == {
        ("D1", "Ann Lee, Ben"),
        ("G1", "Ann Lee, U9"),
        ("unlisted", "unlisted"),
    }


@pytest.mark.parametrize("broken", [7, "x", None, [], {"type": "event", "ts": TS}, say(text=["x"])])
def test_a_broken_message_costs_itself(path: Path, broken: Any) -> None:
    found = read(path, say("1700000001.000100"), broken, say("1700000003.000100"))
    assert [e.native_id for e in entries(found)] == ["1700000001.000100", "1700000003.000100"]
    assert [where for _, where in refusals(found)] == ["general/2023-11-14.json message 2"]


def test_broken_files_and_lists_cost_themselves(path: Path) -> None:
    found = read(
        path,
        say(),
        users=[7, {"name": "x", "id": " "}, USERS[0]],
        groups=b"[{",
        **{"general__2023-11-15": b'[{"ts": "1700000005.000100", "text": "cut"', "integration_logs": [1], "notes": []},
    )
    assert [e.speaker for e in entries(found)] == ["Ann Lee"]
    assert refusals(found) == [
        ("not_an_item", "users.json entry 1"),
        ("not_in_a_list", "users.json entry 2"),
        ("broken_json", "groups.json entry 1"),
        ("broken_json", "general/2023-11-15.json message 1"),
        ("not_messages", "notes.json"),
    ]


def test_encodings_are_named_by_their_marks(path: Path) -> None:
    text = json.dumps([say(text="Grüße 😀")], ensure_ascii=False)
    days = {"general__2023-11-15": text.encode("utf-8-sig"), "general__2023-11-16": text.encode("utf-16")}
    assert [e.text for e in entries(read(path, **days))] == ["Grüße 😀"] * 2
    found = read(path, **{"general__2023-11-15": b'[{"text": "\xff"}]', "general__2023-11-16": [say()]})
    assert len(entries(found)) == 1
    assert [r for r, _ in refusals(found)] == ["bad_encoding"]


def test_a_zip_that_breaks_is_refused(path: Path) -> None:
    data = export(path, *[say(f"170000{n:04}.000100", f"{n} {n * 7919 % 1013}") for n in range(3000)]).read_bytes()
    at = data.index(b"general/2023-11-14.json") + 2000
    path.write_bytes(data[:at] + b"\xff\x00\xff\x00" + data[at + 4 :])
    assert [r for r, _ in refusals(SlackReader().read(path))][-1] == "broken_zip"
    path.write_bytes(data[: len(data) // 2])
    assert refusals(SlackReader().read(path)) == [("broken_zip", path.name)]
    assert format_of(path) == "damaged_zip"
    at = data.index(b"PK\x01\x02") + 6  # the version that is needed to unpack the first member
    path.write_bytes(data[:at] + b"\xff" + data[at + 1 :])
    assert refusals(SlackReader().read(path)) == [("broken_zip", path.name)]
    assert not SlackReader().recognises(path, "")


def test_an_export_without_messages_says_so(path: Path) -> None:
    assert refusals(read(path)) == [("no_messages", path.name)]


def test_a_wrapped_export_is_read(path: Path) -> None:
    members = {"Team/channels.json": CHANNELS, "Team/users.json": USERS, "Team/general/2023-11-14.json": [say()]}
    write_zip(path, members | {"__MACOSX/Team/._x": b""})
    assert format_of(path) == "slack"
    (said,) = SlackReader().read(path)
    assert isinstance(said, Entry) and said.conversation == "C1"


@pytest.mark.parametrize("names", [["conversations.json", "users.json"], ["_chat.txt"], ["users.json"], ["a.json"]])
def test_other_zips_are_not_taken(path: Path, names: list[str]) -> None:
    assert not SlackReader().recognises(write_zip(path, dict.fromkeys(names, "[]")), "")


def test_memory_does_not_grow_with_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PIECE_BYTES", 64 * 1024)
    peaks = []
    for n_messages in (600, 3_000):
        export(path, *(say(f"17{n:08}.000100", "the same words again " * 8) for n in range(n_messages)))
        n, most = peak(SlackReader(), path)
        assert n == n_messages
        peaks.append(most)
    assert peaks[1] < 1.3 * peaks[0]


def test_the_real_export() -> None:
    path = REAL / "slack/testarchive.zip"
    if not path.exists():
        pytest.skip("the real Slack export is not beside the repository")
    found = list(SlackReader().read(path))
    assert format_of(path) == "slack" and not refusals(found)
    said = [e for e in entries(found) if not e.part]
    assert Counter(e.title for e in said).total() == 158
    assert Counter(e.role for e in said) == {"tool": 94, "person": 53, "system": 11}
    assert {e.conversation for e in said} == {"C0JGLMMNX", "C0JL6CGQ2"}
    assert len({(e.conversation, e.native_id) for e in said}) == 158
    assert sum(bool(e.revised_at) for e in said) == 1
    assert not any("<@" in e.text for e in said)
