"""The Markdown reader: sections with their place, exactly as they stand; asked last; constant memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from archive_reading import entries, format_of, peak, refusals
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.archives import files
from hypermnesia.archives.markdown import PART_CHARACTERS, MarkdownReader
from hypermnesia.archives.markdown_sections import marked_lines
from hypermnesia.ports import Entry, Refusal

GUIDE = "# Guide\n\nIntro.\n\n## Set up\nRun make.\n\n### Windows\nUse WSL.\n\n## Use\nCall it.\n"


def read(path: Path, text: str | bytes) -> list[Entry | Refusal]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(MarkdownReader().read(path))


def sections(path: Path, text: str) -> list[str]:
    return [dict(e.attributes)["section"] for e in entries(read(path, text))]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "guide.md"


def test_a_section_as_it_stands(path: Path) -> None:
    found = read(path, GUIDE)
    assert found[1] == Entry(
        user=None,
        conversation="",
        locator="characters 17 to 36",
        text="## Set up\nRun make.",
        speaker="Guide",
        role="user",
        kind="document",
        native_id="Guide > Set up #1",
        title="Guide",
        attributes=(("title", "Guide"), ("section", "Guide > Set up"), ("start", "17"), ("end", "36")),
    )
    assert sections(path, GUIDE) == ["Guide", "Guide > Set up", "Guide > Set up > Windows", "Guide > Use"]
    assert format_of(path) == "markdown"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("no heading at all\n", [""]),
        ("before\n\n# A\nx\n", ["", "A"]),
        ("# A #\nx\n## B ##\ny\n# C\nz", ["A", "A > B", "C"]),
        ("A\n===\nx\n\nB\n---\ny\n", ["A", "A > B"]),
        ("two lines\nof text\n---\nx\n", [""]),
        ("- item\n---\nx\n", [""]),
        ("text\n\n---\n\nmore\n", [""]),
        ("# A\n```\n# no\n```\n## B\n", ["A", "A > B"]),
        ("# A\n~~~~ sh\n# no\n~~~\n```\n# no\n~~~~\n# B\n", ["A", "B"]),
        ("# A\n```\n# never closed\n", ["A"]),
        ("#no heading\n\n####### seven\n\n    # code\n", [""]),
        ("---\ntitle: x\n# a comment\n---\n# A\nx\n", ["", "A"]),
        ("---\n\n# A\nx\n", ["", "A"]),
        ("### deep\nx\n# A\ny\n", ["deep", "A"]),
        ("#\nx\n", ["#"]),
        ("# A\r\nx\r\n## B\r\ny\r\n", ["A", "A > B"]),
    ],
)
def test_headings(path: Path, text: str, found: list[str]) -> None:
    assert sections(path, text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Guide\n=====\n\nx\n\nSet up\n------\n\ny\n\nMore\n====\nz\n", ["Guide", "Guide > Set up", "More"]),
        ("=====\nGuide\n=====\n\nx\n\nOne\n===\ny\n", ["Guide", "Guide > One"]),
        ("# no heading\n\ntext\n\n----\n\nmore\n", [""]),
        ("Long title\n===\nx\n", [""]),
    ],
)
def test_rst_headings(tmp_path: Path, text: str, found: list[str]) -> None:
    assert sections(tmp_path / "guide.rst", text) == found


@given(st.text("a #=-`~\n\r>.", max_size=120), st.booleans())
def test_no_line_is_lost(text: str, is_rst: bool) -> None:
    lines = text.splitlines(keepends=True)
    assert [line.text for line in marked_lines(lines, is_rst=is_rst)] == lines


def test_sections_stand_where_they_say(path: Path) -> None:
    text = (
        "pre é😀\n\n"
        + GUIDE
        + "\n"
        + "# Long\n"
        + ("word " * 300 + "\n\n") * 9
        + "x" * 9_000
        + "\n# End\n```\n#\n```\n"
    )
    found = entries(read(path, text))
    assert all(text[int(dict(e.attributes)["start"]) : int(dict(e.attributes)["end"])] == e.text for e in found)
    assert "".join("".join(e.text for e in found).split()) == "".join(text.split())
    assert max(len(e.text) for e in found) <= PART_CHARACTERS
    assert len({e.native_id for e in found}) == len(found)


def test_long_sections_are_cut_at_the_ends_of_paragraphs(path: Path) -> None:
    paragraph = "word " * 300 + "end."
    found = entries(read(path, "# A\n" + "\n\n".join([paragraph] * 5)))
    assert [e.text.count("end.") for e in found] == [2, 2, 1]
    assert [e.native_id for e in found] == ["A #1", "A #2", "A #3"]
    assert all(e.text.endswith("end.") for e in found)
    one_line = entries(read(path, "word " * 2_000))
    assert len(one_line) == 3 and all(e.text.endswith("word") for e in one_line)


def test_a_new_section_renames_no_other(path: Path) -> None:
    before = {e.native_id: e.text for e in entries(read(path, "# A\nx\n# B\ny\n"))}
    after = {e.native_id: e.text for e in entries(read(path, "# New\nz\n# A\nx\n# B\ny\n"))}
    assert before.items() < after.items()
    assert [e.native_id for e in entries(read(path, "# A\nx\n# A\ny\n"))] == ["A #1", "A #2"]


@pytest.mark.parametrize("content", ["", " \n\n"])
def test_an_empty_file(path: Path, content: str) -> None:
    assert refusals(read(path, content)) == [("empty_file", "the end")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_mark_names_the_encoding(path: Path, encoding: str) -> None:
    found = entries(read(path, "# Größe 😀\nx".encode(encoding)))
    assert [(e.text, dict(e.attributes)["start"]) for e in found] == [("# Größe 😀\nx", "0")]
    assert format_of(path) == "markdown"


def test_what_cannot_be_read_costs_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_LINE_BYTES", 50)
    found = read(path, b"# A\n\xff\n" + b"x" * 80 + b"\n# B\ny\n\xff")
    assert [e.text for e in entries(found)] == ["# A", "# B\ny"]
    assert refusals(found) == [("bad_encoding", "line 2"), ("line_too_long", "line 3"), ("bad_encoding", "line 6")]


def test_a13_a14_surrogates_and_nul_pass_to_text_repair(path: Path) -> None:
    (found,) = entries(read(path, b"a\x00b \xed\xa0\xbd\xed\xb8\x82"))
    assert found.text == "a\x00b \ud83d\ude02"


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("a.md", b"hi", "markdown"),
        ("a.MARKDOWN", b"hi", "markdown"),
        ("a.txt", b"", "markdown"),
        ("a.rst", b"hi", "markdown"),
        ("a.json", b"hi", None),
        ("md", b"hi", None),
        ("a.txt", b"a\x00b", None),
        ("a.txt", b"caf\xe9 cr\xe8me", None),
        ("a.txt", ("é" * 200_000).encode(), "markdown"),
        ("a.txt", b'{"conversation": "c", "speaker": "Ann", "text": "hi"}', "jsonl"),
        ("a.txt", b"25/12/2023, 10:00 - Ann: a\n25/12/2023, 10:01 - Ann: b", "whatsapp"),
    ],
)
def test_only_text_under_a_texts_ending(tmp_path: Path, name: str, data: bytes, found: str | None) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert format_of(path) == found


def test_memory_does_not_grow_with_the_file(path: Path) -> None:
    peaks = []
    for n in (200, 1_000):
        path.write_text("# A\n" + "the same words again and again\n" * 20 * n, encoding="utf-8")
        n_found, most = peak(MarkdownReader(), path)
        assert n_found > n / 10
        peaks.append(most)
    assert peaks[1] < 1.2 * peaks[0]
