"""The WhatsApp reader: every way phones write dates, which number is the day, who speaks, what is no speech."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from archive_reading import REAL, entries, format_of, peak, refusals, write_zip

from hypermnesia.archives import files, whatsapp
from hypermnesia.archives.text_lines import read_text_lines
from hypermnesia.archives.whatsapp import WhatsappReader
from hypermnesia.ports import Entry, Refusal

FIXTURES = REAL / "whatsapp-telegram-signal"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "WhatsApp Chat with Ann Lee.txt"


def read(path: Path, *lines: str | bytes) -> list[Entry | Refusal]:
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
    return list(WhatsappReader().read(path))


def said(path: Path, *bodies: str) -> list[tuple[str, str, str]]:
    """(kind, speaker, text) of messages with these bodies."""
    lines = (f"25/12/2023, 10:00 - {body}" for body in bodies)
    return [(e.kind, e.speaker, e.text) for e in entries(read(path, *lines))]


def test_a_message_as_it_stands(path: Path) -> None:
    assert read(path, "25/12/2023, 10:05 - Ann Lee: Hello: you", "", " two ") == [
        Entry(
            user=None,
            conversation="Ann Lee",
            locator="line 1",
            text="Hello: you\n\n two ",
            speaker="Ann Lee",
            role="person",
            title="Ann Lee",
            written_at="25/12/2023, 10:05",
            local="2023-12-25T10:05:00",
        )
    ]


@pytest.mark.parametrize(
    ("head", "local"),
    [
        ("31/01/19, 11:25 - ", "2019-01-31T11:25:00"),
        ("01/31/19, 11:25 - ", "2019-01-31T11:25:00"),
        ("31/1/2019 11:25 - ", "2019-01-31T11:25:00"),
        ("2019/01/31, 11:25 - ", "2019-01-31T11:25:00"),
        ("2019-01-31, 11:25 - ", "2019-01-31T11:25:00"),
        ("31.01.19, 11:25 - ", "2019-01-31T11:25:00"),
        ("31. 1. 2019. 11:25 - ", "2019-01-31T11:25:00"),
        ("31-01-19 11:25 - ", "2019-01-31T11:25:00"),
        ("31.01.19 um 11:25 Uhr - ", "2019-01-31T11:25:00"),
        ("31.1.2019 klo 11.25 – ", "2019-01-31T11:25:00"),
        ("1/31/19, 11:25 PM - ", "2019-01-31T23:25:00"),
        ("1/31/19, 11:25\u202fPM - ", "2019-01-31T23:25:00"),
        ("1/31/19, 12:05 AM - ", "2019-01-31T00:05:00"),
        ("1/31/19, 12:05 PM - ", "2019-01-31T12:05:00"),
        ("31/01/2019, 1:05 pm - ", "2019-01-31T13:05:00"),
        ("31/1/19 1:05 p. m. - ", "2019-01-31T13:05:00"),
        ("31/1/19 1:05 p.m. - ", "2019-01-31T13:05:00"),
        ("31/1/19 00:05 a. m. - ", "2019-01-31T00:05:00"),
        ("31/1/19, 1:05 μ.μ. - ", "2019-01-31T13:05:00"),
        ("2019/1/31 下午1:05 - ", "2019-01-31T13:05:00"),
        ("2019/1/31, 오전 1:05 - ", "2019-01-31T01:05:00"),
        ("\u200f٣١/٠١/٢٠١٩، ١١:٢٥ - ", "2019-01-31T11:25:00"),
        ("[31/01/19, 11:25:09] ", "2019-01-31T11:25:09"),
        ("\u200e[31.01.19, 11:25:09] ", "2019-01-31T11:25:09"),
        ("[1/31/19, 11:25:09\u202fPM] ", "2019-01-31T23:25:09"),
        ("[2019-01-31, 11:25:09] ", "2019-01-31T11:25:09"),
        ("[31/01/19 11:25] ", "2019-01-31T11:25:00"),
    ],
)
def test_ways_to_write_a_time(path: Path, head: str, local: str) -> None:
    found = read(path, f"{head}Ann: hi", f"{head}Ben: ho")
    assert [(e.speaker, e.text, e.local) for e in entries(found)] == [("Ann", "hi", local), ("Ben", "ho", local)]
    assert not refusals(found)
    assert format_of(path) == "whatsapp"


def days(path: Path, *dates: str, clock: str = "10:00") -> list[str | None]:
    found = read(path, *(f"{date}, {clock} - Ann: hi" for date in dates))
    return [e.local and e.local[:10] for e in entries(found)]


def test_a_number_over_12_decides_for_the_whole_file(path: Path) -> None:
    assert days(path, "03/04/23", "05/04/23", "13/04/23") == ["2023-04-03", "2023-04-05", "2023-04-13"]
    assert days(path, "03/04/23", "05/04/23", "05/13/23") == ["2023-03-04", "2023-05-04", "2023-05-13"]
    assert days(path, "19/04/03", "32/04/05") == ["2019-04-03", "2032-04-05"]


def test_time_that_runs_forward_decides_else(path: Path) -> None:
    assert days(path, "11/03/23", "12/03/23", "01/04/23") == ["2023-03-11", "2023-03-12", "2023-04-01"]
    assert days(path, "03/11/23", "03/12/23", "04/01/23") == ["2023-03-11", "2023-03-12", "2023-04-01"]
    assert not refusals(WhatsappReader().read(path))


def test_a_pasted_date_does_not_turn_the_file(path: Path) -> None:
    given = ["13/04/23", "14/04/23", "04/20/23", "15/04/23"]
    assert days(path, *given) == ["2023-04-13", "2023-04-14", None, "2023-04-15"]
    found = list(WhatsappReader().read(path))
    assert refusals(found) == [("bad_time", "line 3")]
    assert len(entries(found)) == 4


def test_dates_that_stay_ambiguous_are_said_once(path: Path) -> None:
    assert days(path, "01/02/23", "02/03/23") == ["2023-02-01", "2023-03-02"]
    assert refusals(WhatsappReader().read(path)) == [("ambiguous_dates", "dates")]
    assert days(path, "1/2/23", "2/3/23", clock="9:00 AM") == ["2023-01-02", "2023-02-03"]  # as American phones write
    (told,) = (e for e in WhatsappReader().read(path) if isinstance(e, Refusal))
    assert "month/day/year" in told.detail
    assert days(path, "01/02/23", "02/03/23", clock="9:00 AM") == ["2023-02-01", "2023-03-02"]


@pytest.mark.parametrize("dates", [["02/02/23"], ["01.02.23", "02.03.23"], ["1-2-23"], ["2023/01/02"]])
def test_dates_that_are_not_ambiguous(path: Path, dates: list[str]) -> None:
    days(path, *dates)
    assert not refusals(WhatsappReader().read(path))


@pytest.mark.parametrize("date", ["31/02/2023", "13/13/2023", "01/01/1999", "00/01/2023", "1/1/123"])
def test_an_impossible_date_keeps_its_message(path: Path, date: str) -> None:
    found = read(path, "25/12/2023, 10:00 - Ann: a", f"{date}, 10:00 - Ann: b", "26/12/2023, 25:00 - Ann: c")
    assert [(e.text, e.local) for e in entries(found)] == [("a", "2023-12-25T10:00:00"), ("b", None), ("c", None)]
    assert [where for _, where in refusals(found)] == ["line 2", "line 3"]


@pytest.mark.parametrize(
    ("body", "speaker", "text"),
    [
        ("John-John Doe: Lorem : dolor", "John-John Doe", "Lorem : dolor"),
        ("John Doe:.", "John Doe", "."),
        ("🤓: hi", "🤓", "hi"),
        ("+44 7700 900123: hi", "+44 7700 900123", "hi"),
        ("~\u202fAnn: hi", "Ann", "hi"),
        ("\u202aAnn\u202c: hi", "Ann", "hi"),
        ("Mum :): hi", "Mum :)", "hi"),
        ("Ann:", "Ann", ""),
        ("Ann: Bob left", "Ann", "Bob left"),
        ('Ann: She said: "no', "Ann", 'She said: "no'),
        ("Ann: \u200ePOLL:\nLunch?", "Ann", "POLL:\nLunch?"),
    ],
)
def test_who_speaks(path: Path, body: str, speaker: str, text: str) -> None:
    assert said(path, body) == [("utterance", speaker, text)]


@pytest.mark.parametrize(
    "body",
    [
        '+12 345 578 created group "Groupname"',
        "You were added",
        "Ann left",
        'Ann changed the subject from "A: b" to "C: d"',
        'Ann hat die Gruppe "Essen: heute" erstellt',
        "Ann a créé le groupe « Midi : ici »",
        "Messages and calls are end-to-end encrypted. Learn more: https://x.org",
        "Ann changed this group's settings: only admins may write",
        "Ann set the timer to 10:30",
        "Ann pinned https://x.org",
        "",
    ],
)
def test_what_nobody_said(path: Path, body: str) -> None:
    assert said(path, body) == [("system", "WhatsApp", body)]
    assert entries(WhatsappReader().read(path))[0].role == "system"


def test_a_notice_under_a_name_is_known_by_the_mark(path: Path) -> None:
    notice = "Messages and calls are end-to-end encrypted."
    assert said(path, f"Trip: \u200e{notice}", f"Ann: {notice}") == [
        ("system", "Trip", notice),
        ("utterance", "Ann", notice),
    ]


@pytest.mark.parametrize(
    ("text", "caption", "kind", "name"),
    [
        ("<Media omitted>", "", "media", ""),
        ("<Medien ausgeschlossen>", "", "media", ""),
        ("<Multimedia omitido>", "", "media", ""),
        ("<メディアは含まれていません>", "", "media", ""),
        ("<Media omitted>\nthe lake", "the lake", "media", ""),
        ("\u200eimage omitted", "", "image", ""),
        ("GIF omitted", "", "gif", ""),
        ("Contact card omitted", "", "contact", ""),
        ("\u200eBild weggelassen", "", "image", ""),
        ("the lake \u200eimage omitted", "the lake", "image", ""),
        ("\u200e<attached: 0001-PHOTO.jpg>", "", "image", ""),
        ("\u200e<Anhang: 0002-AUDIO.opus>", "", "audio", ""),
        ("Lease.pdf • 3 pages \u200e<attached: 0003-Lease.pdf>", "Lease.pdf • 3 pages", "document", "0003-Lease.pdf"),
        ("IMG-1.jpg (file attached)\nthe lake", "the lake", "image", ""),
        ("\u200eMy lease.pdf (Datei angehängt)", "", "document", "My lease.pdf"),
    ],
)
def test_media(path: Path, text: str, caption: str, kind: str, name: str) -> None:
    message, medium = entries(read(path, f"25/12/2023, 10:00 - Ann: {text}"))
    assert (message.text, message.kind, message.part) == (caption, "utterance", "")
    assert (medium.text, medium.kind, medium.part) == (name, "attachment", "attachment/000")
    assert dict(medium.attributes)["type"] == kind


@pytest.mark.parametrize("text", ["<3", "<b>bold</b>", "<div class=x>", "I omitted", "<html>", "see x.pdf"])
def test_what_is_no_medium(path: Path, text: str) -> None:
    assert said(path, f"Ann: {text}") == [("utterance", "Ann", text)]


@pytest.mark.parametrize(
    "text",
    [
        "This message was deleted",
        "\u200eThis message was deleted.",
        "You deleted this message",
        "Diese Nachricht wurde gelöscht.",
        "Eliminaste este mensaje",
        "Ce message a été supprimé",
        "Questo messaggio è stato eliminato",
        "Dit bericht is verwijderd",
        "Mensagem apagada",
    ],
)
def test_deleted(path: Path, text: str) -> None:
    (gone,) = entries(read(path, f"25/12/2023, 10:00 - Ann: {text}"))
    assert (gone.is_deleted, gone.speaker, gone.kind) == (True, "Ann", "utterance")
    (kept,) = entries(read(path, f"25/12/2023, 10:00 - Ann: He says: {text}"))
    assert not kept.is_deleted


@pytest.mark.parametrize("mark", [" <This message was edited>", "\u200e<Diese Nachricht wurde bearbeitet.>"])
def test_edited(path: Path, mark: str) -> None:
    (edited,) = entries(read(path, f"25/12/2023, 10:00 - Ann: See you at ten{mark}"))
    assert (edited.text, edited.attributes) == ("See you at ten", (("edited", "true"),))


def test_lines_before_the_first_message_are_refused(path: Path) -> None:
    found = read(path, "Chat history", "", "25/12/2023, 10:00 - Ann: hi")
    assert refusals(found) == [("not_a_message", "line 1")]
    assert [e.text for e in entries(found)] == ["hi"]


def test_a_date_in_another_style_is_text(path: Path) -> None:
    (quoted,) = entries(read(path, "25/12/2023, 10:00 - Ann: look", "[24/12/23, 09:00:00] Ben: no"))
    assert quoted.text == "look\n[24/12/23, 09:00:00] Ben: no"


@pytest.mark.parametrize("content", ["", " \n\n"])
def test_an_empty_file(path: Path, content: str) -> None:
    assert refusals(read(path, content)) == [("empty_file", "the end")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_mark_names_the_encoding(path: Path, encoding: str) -> None:
    path.write_bytes("25/12/2023, 10:00 - Ann: Grüße 😀\r\nzwei\r\n25/12/2023, 10:01 - Ann: x".encode(encoding))
    assert [e.text for e in entries(WhatsappReader().read(path))] == ["Grüße 😀\nzwei", "x"]
    assert format_of(path) == "whatsapp"


def test_a13_surrogates_as_bytes_pass_to_text_repair(path: Path) -> None:
    (kept,) = entries(read(path, b"25/12/2023, 10:00 - Ann: \xed\xa0\xbd\xed\xb8\x82 \xed\xa0\xbd"))
    assert kept.text == "\ud83d\ude02 \ud83d"


def test_a14_nul_passes_to_text_repair(path: Path) -> None:
    (kept,) = entries(read(path, "25/12/2023, 10:00 - Ann: a\x00b \\u0000"))
    assert kept.text == "a\x00b \\u0000"


def test_a_line_that_is_no_text_costs_itself(path: Path) -> None:
    found = read(path, "25/12/2023, 10:00 - Ann: a", b"\xff", "25/12/2023, 10:01 - Ann: b")
    assert [e.text for e in entries(found)] == ["a", "b"]
    assert refusals(found) == [("bad_encoding", "line 2")]


def test_cut_off_and_broken_utf16(path: Path) -> None:
    data = "25/12/2023, 10:00 - Ann: a\n25/12/2023, 10:01 - Ann: b".encode("utf-16")
    path.write_bytes(data[:-1])
    assert refusals(WhatsappReader().read(path)) == [("bad_encoding", "line 2")]
    assert [e.text for e in entries(WhatsappReader().read(path))] == ["a"]


def test_gigantic_lines_and_messages_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_LINE_BYTES", 1_000)
    monkeypatch.setattr(whatsapp, "MOST_CHARACTERS", 3_000)
    head = "25/12/2023, 10:00 - Ann:"
    found = read(path, f"{head} a", "x" * 2_000, f"{head} b", *["y" * 900] * 4, f"{head} c")
    assert refusals(found) == [("line_too_long", "line 2"), ("message_too_large", "line 3")]
    assert [e.text for e in entries(found)] == ["a", "c"]
    path.write_text("\n".join(["a", "x" * 2_000, "b"]), encoding="utf-16")
    assert [(n, problem) for n, _, problem in read_text_lines(path)] == [(1, ""), (2, "line_too_long"), (3, "")]


@pytest.mark.parametrize(
    ("name", "chat"),
    [
        ("WhatsApp Chat with Ann Lee.txt", "Ann Lee"),
        ("WhatsApp Chat with Ann Lee (1).txt", "Ann Lee"),
        ("WhatsApp Chat - Ann Lee.txt", "Ann Lee"),
        ("WhatsApp-Chat mit Ann Lee.txt", "Ann Lee"),
        ("Chat de WhatsApp con Ann Lee.txt", "Ann Lee"),
        ("Discussion WhatsApp avec Ann Lee.txt", "Ann Lee"),
        ("holiday.txt", "holiday"),
    ],
)
def test_the_chat_is_named_by_its_file(tmp_path: Path, name: str, chat: str) -> None:
    (kept,) = entries(read(tmp_path / name, "25/12/2023, 10:00 - Ann: hi"))
    assert (kept.conversation, kept.title) == (chat, chat)


def test_a_chat_file_without_a_name_is_named_by_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "WhatsApp Chat - Trip"
    folder.mkdir()
    (kept,) = entries(read(folder / "_chat.txt", "[25/12/23, 10:00:00] Ann: hi"))
    assert kept.conversation == "Trip"


@pytest.mark.parametrize("member", ["_chat.txt", "WhatsApp Chat with Trip.txt"])
def test_the_zip(tmp_path: Path, member: str) -> None:
    members = {member: "[25/12/23, 10:00:00] Ann: hi", "notes.txt": "[25/12/23, 10:00:00] X: no", "a.jpg": b"\xff"}
    path = write_zip(tmp_path / "WhatsApp Chat - Trip.zip", members)
    found = list(WhatsappReader().read(path))
    assert [(e.conversation, e.text) for e in entries(found)] == [("Trip", "hi")] and not refusals(found)
    assert format_of(path) == "whatsapp"


def test_zips_without_a_chat(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", {"notes.txt": "hi"})
    assert format_of(path) is None
    assert refusals(WhatsappReader().read(path)) == [("no_chat", "a.zip")]
    path.write_bytes(b"PK\x03\x04 no zip")
    assert format_of(path) == "damaged_zip"
    assert [r for r, _ in refusals(WhatsappReader().read(path))] == ["broken_zip", "no_chat"]


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ann,\n25/12/2023, 10:00 - Ann: hi\n",
        "25/12/2023, 10:00 - Meeting: notes\nWe met.\n",
        "2023-12-25 10:00:00,123 - root - INFO: x\n2023-12-25 10:00:00,124 - root - INFO: y\n",
        "[2023-12-25 10:00:00] app.ERROR: x\n[2023-12-25 10:00:01] app.ERROR: y\n",
        "# Notes\n",
    ],
)
def test_other_texts_are_not_taken(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text, encoding="utf-8")
    assert format_of(path) == "markdown"


def test_memory_does_not_grow_with_the_file(path: Path) -> None:
    peaks = []
    for n in (1_000, 5_000):
        path.write_text("".join(f"25/12/2023, 10:{i % 60:02} - Ann: the same\nwords again\n" for i in range(n)))
        n_found, most = peak(WhatsappReader(), path)
        assert n_found == n
        peaks.append(most)
    assert peaks[1] < 1.2 * peaks[0]


@pytest.fixture(params=["[mmddyy]_24hrs", "ddmmyy_24hrs", "mmddyy_24hrs", "mmddyyyy_12hrs", "yyyymmdd_24hrs"])
def real(request: pytest.FixtureRequest) -> Iterator[Path]:
    path = FIXTURES / f"test_{request.param}.txt"
    if not path.exists():
        pytest.skip("the real WhatsApp exports are not beside the repository")
    yield path


def test_the_real_exports_say_the_same(real: Path) -> None:
    found = list(WhatsappReader().read(real))
    assert format_of(real) == "whatsapp" and not refusals(found)
    assert [(e.speaker, e.local) for e in entries(found)] == [
        ("John Doe", "2019-01-01T11:25:00"),
        ("John Doe", "2019-01-20T11:23:00"),
        ("Jahn Doe", "2019-01-30T20:49:00"),
        ("John-John Doe", "2020-06-10T15:55:00"),
        ("WhatsApp", "2020-06-20T00:08:00"),
        ("WhatsApp", "2020-06-30T09:10:00"),
        ("John Doe 🤓", "2021-12-10T10:10:00"),
        ("🤓", "2021-12-20T12:10:00"),
        ("John Doe", "2021-12-30T22:01:00"),
    ]
    assert [e.kind for e in entries(found)].count("system") == 2
