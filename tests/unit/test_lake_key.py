"""The lake key: made once, private, and never another one for the same lake (DESIGN 3)."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from hypermnesia.adapters.lake_key import KEY_FILE, read_lake_key


def test_a_key_is_made_once_with_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = read_lake_key(tmp_path, None)
    assert "keep" in capsys.readouterr().err
    assert read_lake_key(tmp_path, None) == key
    assert capsys.readouterr().err == ""
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert key.decode() not in (tmp_path / "lake" / "key.check").read_text()


def test_two_homes_have_different_keys(tmp_path: Path) -> None:
    assert read_lake_key(tmp_path / "a", None) != read_lake_key(tmp_path / "b", None)


def test_a_lake_refuses_another_key(tmp_path: Path) -> None:
    read_lake_key(tmp_path, "the first key of the lake")
    with pytest.raises(ValueError, match="not the key that the lake"):
        read_lake_key(tmp_path, "some other key for the lake")


def test_a_lost_key_is_not_made_anew(tmp_path: Path) -> None:
    read_lake_key(tmp_path, None)
    (tmp_path / KEY_FILE).unlink()
    with pytest.raises(ValueError, match="key is missing"):
        read_lake_key(tmp_path, None)


def test_a_short_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 16 bytes"):
        read_lake_key(tmp_path, "short")
