"""Arguments, then variables, then the profile, then defaults; what is not known is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.settings import Settings, load

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.name)
def test_the_profiles_we_ship_are_valid(config: Path) -> None:
    assert isinstance(load(config), Settings)


def test_the_nearer_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text("workers: 3\nshard_records: 33\nhome: /from/profile\n")
    monkeypatch.setenv("HYPERMNESIA_WORKERS", "4")
    settings = load(profile, home=tmp_path)
    assert (settings.home, settings.workers, settings.shard_records) == (tmp_path, 4, 33)
    assert load(None).shard_records != 33, "a profile is of one call"


@pytest.mark.parametrize("text", ["wrokers: 3\n", "workers: 0\n", "reject_budget: 2\n", "- a list\n"])
def test_what_is_not_known_or_out_of_range_is_an_error(tmp_path: Path, text: str) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text(text)
    with pytest.raises(ValueError, match=r"wrokers|workers|reject_budget|mapping"):
        load(profile)


def test_the_key_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPERMNESIA_LAKE_KEY", "a very secret key")
    settings = load()
    assert "secret key" not in repr(settings) + settings.model_dump_json()
