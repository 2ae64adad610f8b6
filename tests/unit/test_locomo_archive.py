"""The LoCoMo reader: turns and captions, never labels; what is broken costs itself; constant memory."""

from __future__ import annotations

import codecs
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from archive_reading import entries, peak, refusals

from hypermnesia.archives import KnownArchives, files
from hypermnesia.archives.locomo import LocomoReader
from hypermnesia.ports import Entry, Refusal

DEV_FILE = Path(__file__).parents[3] / "shared/data/locomo-dev/locomo_dev.json"
DATE = "1:56 pm on 8 May, 2023"


def turn(n: int, text: str = "hi", speaker: str = "Ann", **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": f"D1:{n}", "text": text, **more}


def sample(name: str, *turns: Any, date: Any = DATE, **more: Any) -> dict[str, Any]:
    talk = {"speaker_a": "Ann", "speaker_b": "Ben", "session_1_date_time": date, "session_1": list(turns)}
    return {"sample_id": name, "conversation": talk, **more}


def read(path: Path, content: Any) -> list[Entry | Refusal]:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    path.write_bytes(data)
    return list(LocomoReader().read(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "locomo.json"


def test_a_turn_as_it_stands(path: Path) -> None:
    assert read(path, [sample("conv-1", turn(1, " Hi! "))]) == [
        Entry(
            user="conv-1",
            conversation="conv-1",
            locator="conv-1 D1:1",
            text=" Hi! ",
            speaker="Ann",
            role="person",
            native_id="D1:1",
            session="session_1",
            written_at=DATE,
            local="2023-05-08T13:56:00",
        )
    ]


def test_a_caption_is_an_attachment_of_its_turn(path: Path) -> None:
    said, picture = entries(
        read(
            path,
            [
                sample(
                    "conv-1",
                    turn(1, "Look", blip_caption="a red bike"),
                )
            ],
        )
    )
    assert (picture.text, picture.kind, picture.part) == ("a red bike", "attachment", "attachment/000")
    assert picture.attributes == (("type", "image"),)
    assert (picture.native_id, picture.local, picture.session) == (said.native_id, said.local, said.session)
    assert len(entries(read(path, [sample("conv-1", turn(1, blip_caption=" "))]))) == 1


def test_labels_never_enter(path: Path) -> None:
    mark = "MARKER"
    labels = {
        "qa": [{"question": mark, "answer": mark, "evidence": [mark], "category": 1, "adversarial_answer": mark}],
        "evidence": [mark],
        "observation": {"session_1_observation": {"Ann": [[mark, "D1:1"]]}},
        "session_summary": {"session_1_summary": mark},
        "event_summary": {"events_session_1": {"Ann": [mark], "date": mark}},
    }
    said = turn(1, query=mark, img_url=[f"https://{mark}"], blip_caption="a bike", evidence=mark, answer=mark)
    one = sample("conv-1", said, **labels)
    one["conversation"] |= {
        "session_1_summary": mark,
        "session_1_observation": mark,
        "events_session_1": mark,
        "qa": mark,
    }
    found = read(path, [one])
    assert len(found) == len(entries(found)) == 2
    assert mark not in repr([astuple(e) for e in entries(found)])
    assert [e.text for e in entries(found)] == ["hi", "a bike"]


def test_sessions_come_by_number(path: Path) -> None:
    talk = {f"session_{n}": [{"speaker": "Ann", "dia_id": f"D{n}:1", "text": "x"}] for n in (10, 2, 1)}
    found = entries(read(path, [{"sample_id": "s", "conversation": talk}]))
    assert [e.native_id for e in found] == ["D1:1", "D2:1", "D10:1"]
    assert {(e.written_at, e.local) for e in found} == {(None, None)}


@pytest.mark.parametrize("key", ["session_01", "session_١"])
def test_a_session_numbered_in_another_way_is_read(path: Path, key: str) -> None:
    talk = {key: [turn(1)], f"{key}_date_time": DATE}
    assert entries(read(path, [{"sample_id": "s", "conversation": talk}]))[0].local == "2023-05-08T13:56:00"


@pytest.mark.parametrize(
    "broken",
    [
        None,
        7,
        "x",
        [],
        {},
        turn(1) | {"dia_id": 3},
        turn(1) | {"dia_id": " "},
        turn(1) | {"speaker": None},
        turn(1) | {"text": ["x"]},
    ],
)
def test_a_broken_turn_costs_itself(path: Path, broken: Any) -> None:
    found = read(path, [sample("s", turn(1), broken, turn(3))])
    assert [e.native_id for e in entries(found)] == ["D1:1", "D1:3"]
    assert refusals(found) == [("not_a_turn", "s session_1 turn 2")]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"sample_id": "b"}, "not_a_sample"),
        ({"sample_id": " ", "conversation": {}}, "not_a_sample"),
        ({"sample_id": 7, "conversation": {}}, "not_a_sample"),
        ({"sample_id": "b", "conversation": []}, "not_a_sample"),
        ([], "not_a_sample"),
        (7, "not_an_item"),
        (None, "not_an_item"),
        ("text", "not_an_item"),
    ],
)
def test_a_broken_sample_costs_itself(path: Path, broken: Any, reason: str) -> None:
    found = read(path, [sample("a", turn(1)), broken, sample("c", turn(1))])
    assert [e.user for e in entries(found)] == ["a", "c"]
    assert refusals(found) == [(reason, "sample 2")]


@pytest.mark.parametrize("session", [None, {"turns": []}, "text"])
def test_a_broken_session_costs_itself(path: Path, session: Any) -> None:
    one = sample("a", turn(1))
    one["conversation"]["session_2"] = session
    found = read(path, [one])
    assert len(entries(found)) == 1
    assert refusals(found) == [("not_a_session", "a session_2")]


@pytest.mark.parametrize("date", ["yesterday", "2023-05-08", "31:00 pm on 8 May, 2023", 20230508, "\ud83d"])
def test_a_bad_date_is_refused_and_the_turns_are_kept(path: Path, date: Any) -> None:
    found = read(path, [sample("a", turn(1), date=date)])
    assert [(e.text, e.local) for e in entries(found)] == [("hi", None)]
    assert refusals(found) == [("bad_time", "a session_1")]


def test_a_truncated_file_gives_what_is_whole(path: Path) -> None:
    data = json.dumps([sample("a", turn(1)), sample("b", turn(1))]).encode()
    found = read(path, data[:-20])
    assert [e.user for e in entries(found)] == ["a"]
    assert refusals(found) == [("broken_json", "sample 2")]


@pytest.mark.parametrize(
    "codec", [("utf-8", codecs.BOM_UTF8), ("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)]
)
def test_a_bom_names_the_encoding(path: Path, codec: tuple[str, bytes]) -> None:
    text = json.dumps([sample("a", turn(1, "Grüße 😀"))], ensure_ascii=False)
    found = read(path, codec[1] + text.encode(codec[0]))
    assert [e.text for e in entries(found)] == ["Grüße 😀"]
    recognised = KnownArchives().recognise(path)
    assert recognised is not None and recognised.name == "locomo"


def test_bytes_that_are_no_text_are_refused_with_their_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = json.dumps([sample("a", turn(1))]).encode()[:-1] + b","
    data = codecs.BOM_UTF8 + first + json.dumps(sample("b", turn(1, "XX"))).encode().replace(b"XX", b"\xff") + b"]"
    place = data.index(b"\xff")
    for size in (1, 7, 1024):
        monkeypatch.setattr(files, "PIECE_BYTES", size)
        assert refusals(read(path, data)) == [("bad_encoding", f"byte {place}")]
    monkeypatch.setattr(files, "PIECE_BYTES", len(codecs.BOM_UTF8 + first))
    assert [e.user for e in entries(read(path, data))] == ["a"]


def test_a_letter_cut_off_at_the_end_is_refused_with_its_place(path: Path) -> None:
    data = json.dumps([sample("a", turn(1))]).encode() + "é".encode()[:1]
    found = read(path, data)
    assert [e.user for e in entries(found)] == ["a"]
    assert refusals(found) == [("bad_encoding", f"byte {len(data) - 1}")]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64])
def test_pieces_may_end_inside_a_letter(path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(files, "PIECE_BYTES", size)
    data = json.dumps([sample("a", turn(1, "é😀XX"))], ensure_ascii=False).encode()
    found = read(path, data.replace(b"XX", b"\xed\xa0\xbd\xed\xb8\x82"))  # case A13: joined by text repair
    assert [e.text for e in entries(found)] == ["é😀\ud83d\ude02"]


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_an_empty_file(path: Path, content: bytes) -> None:
    assert refusals(read(path, content)) == [("empty_file", "the end")]
    assert KnownArchives().recognise(path) is None


@pytest.mark.parametrize("name", ["locomo.jsonl", "chat.txt", "noname"])
def test_content_counts_and_the_name_does_not(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(json.dumps([sample("a", turn(1))]), encoding="utf-8")
    labels_first = tmp_path / "labels.json"
    labels_first.write_text(json.dumps([{"qa": [{"evidence": []}]}]), encoding="utf-8")
    for path in (file, labels_first):
        recognised = KnownArchives().recognise(path)
        assert recognised is not None and recognised.name == "locomo"


@pytest.mark.parametrize("text", ['[{"title": "export", "mapping": {}}]', "hello", '{"a": 1}', "[]"])
def test_other_files_are_not_taken(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    assert KnownArchives().recognise(path) is None


def write_large(path: Path, n_samples: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for n in range(n_samples):
            turns = [turn(i, "all the same words again and again " * 4) for i in range(400)]
            file.write(("[" if n == 0 else ",") + json.dumps(sample(f"s{n}", *turns, qa=["label"] * 200)))
        file.write("]")


def test_memory_does_not_grow_with_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PIECE_BYTES", 64 * 1024)
    peaks = []
    for n_samples in (6, 30):  # 0.5 and 2.6 MB
        write_large(path, n_samples)
        n, most = peak(LocomoReader(), path)
        assert n == n_samples * 400
        peaks.append(most)
    assert peaks[1] < 1.2 * peaks[0]


@pytest.fixture(scope="module")
def dev() -> Iterator[list[Entry]]:
    if not DEV_FILE.exists():
        pytest.skip("the LoCoMo development file is not beside the repository")
    found = list(LocomoReader().read(DEV_FILE))
    assert not refusals(found)
    yield entries(found)


def test_the_development_file_has_its_known_counts(dev: list[Entry]) -> None:
    turns = Counter(e.user for e in dev if not e.part)
    captions = Counter(e.user for e in dev if e.part)
    assert turns.total() == 3_011
    assert turns == {"conv-26": 419, "conv-41": 663, "conv-43": 680, "conv-48": 681, "conv-50": 568}
    assert captions == {"conv-26": 116, "conv-41": 131, "conv-43": 164, "conv-48": 142, "conv-50": 125}
    assert len({(e.user, e.session) for e in dev}) == 19 + 32 + 29 + 30 + 30
    assert all(e.local and e.native_id and e.speaker for e in dev)
    recognised = KnownArchives().recognise(DEV_FILE)
    assert recognised is not None and recognised.name == "locomo"


def test_the_development_file_gives_no_label(dev: list[Entry]) -> None:
    """Search phrases that are not by chance a caption or said by someone: none of them is in any entry."""
    samples = json.loads(DEV_FILE.read_text(encoding="utf-8"))
    turns = [t for s in samples for v in s["conversation"].values() if isinstance(v, list) for t in v]
    allowed = "\n".join(f"{t['text']}\n{t.get('blip_caption', '')}" for t in turns)
    labels = {q["question"] for s in samples for q in s["qa"]} | {t["query"] for t in turns if "query" in t}
    labels |= {text for s in samples for text in s["session_summary"].values()}
    labels = {label for label in labels if label not in allowed}
    assert len(labels) > 900
    said = "\n".join(repr(astuple(e)) for e in dev)
    assert not [label for label in labels if label in said]
