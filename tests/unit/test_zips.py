"""A hostile zip is refused by name, member by member; the others are read."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from hypermnesia.archives import zips
from hypermnesia.archives.files import read_pieces
from hypermnesia.archives.zips import is_zip, read_members
from hypermnesia.ports import Refusal


def make(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def refused(path: Path) -> dict[str, str]:
    return {m.locator: m.reason for m in read_members(path) if isinstance(m, Refusal)}


def test_members_are_read_as_paths(tmp_path: Path) -> None:
    path = make(tmp_path / "a.zip", {"b/two.json": b"\xef\xbb\xbf[2]", "a.json": b"[1]", "b/": b""})
    assert is_zip(path)
    read = []
    for member in read_members(path):
        assert not isinstance(member, Refusal)
        read.append((member.at, "".join(read_pieces(member))))  # type: ignore[arg-type]
    assert read == [("a.json", "[1]"), ("b/two.json", "[2]")]


@pytest.mark.parametrize("name", ["../up.json", "/etc/x.json", "a/../../b", "C:\\x.json", "..\\up.json"])
def test_a_name_that_leaves_the_zip_is_refused(tmp_path: Path, name: str) -> None:
    path = make(tmp_path / "a.zip", {name: b"[]", "good.json": b"[]"})
    assert set(refused(path).values()) == {"unsafe_name"}
    assert len(list(read_members(path))) == 2


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zips, "SMALL_BYTES", 1000)
    path = make(tmp_path / "a.zip", {"bomb.json": b"0" * 1_000_000, "good.json": b"[]"})
    assert refused(path) == {"bomb.json": "zip_bomb"}


def test_a_broken_or_cut_off_zip_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "a.zip", {"a.json": b"[1, 2, 3]" * 100})
    path.write_bytes(path.read_bytes()[:-30])
    assert set(refused(path).values()) == {"broken_zip"}
    other = tmp_path / "b.zip"
    other.write_bytes(b"not a zip")
    assert not is_zip(other)
