"""The generated archive: the same bytes every time, a power law, any size in constant memory."""

from __future__ import annotations

import importlib.util
import itertools
import json
import statistics
import sys
import tracemalloc
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).parents[1] / "fixtures" / "generate.py"


@pytest.fixture(scope="module")
def archive() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generated_archive", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows(archive: ModuleType) -> list[dict]:
    return list(archive.generate(200, 5000, seed=7))


def test_same_arguments_same_bytes_another_seed_other_bytes(archive: ModuleType, tmp_path: Path) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        archive.write_archive(tmp_path / name, users=20, messages=300, seed=seed)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b
    assert a != c
    assert [json.loads(line) for line in a.splitlines()] == list(archive.generate(20, 300, 7))


@pytest.mark.parametrize(("users", "messages"), [(1, 1), (1, 500), (3, 3), (10, 99), (1000, 20000)])
def test_exactly_as_many_users_and_messages_as_asked(archive: ModuleType, users: int, messages: int) -> None:
    counts = Counter(row["user"] for row in archive.generate(users, messages, 1))
    assert len(counts) == users
    assert counts.total() == messages


def test_fewer_messages_than_users_is_refused(archive: ModuleType) -> None:
    with pytest.raises(ValueError, match="at least one message"):
        list(archive.generate(10, 9, 1))


@pytest.mark.parametrize("users", [50, 200, 1000])
def test_history_lengths_follow_a_power_law(archive: ModuleType, users: int) -> None:
    counts = sorted(archive._history_lengths(users, users * 25), reverse=True)
    assert 0.08 <= counts[0] / sum(counts) <= 0.12
    assert sum(counts[: users // 5]) > 0.4 * sum(counts)
    assert counts[-1] >= 1


def test_messages_are_of_realistic_length_in_sessions_over_two_years(rows: list[dict]) -> None:
    words = [len(row["text"].split()) for row in rows]
    assert 15 <= statistics.median(words) <= 25
    assert min(words) == 1
    assert max(words) > 80
    times = [datetime.fromisoformat(row["time"]) for row in rows]
    assert timedelta(days=700) < max(times) - min(times) <= timedelta(days=731)
    largest = Counter(row["user"] for row in rows).most_common(1)[0][0]
    own = [t for row, t in zip(rows, times, strict=True) if row["user"] == largest]
    gaps = [later - earlier for earlier, later in itertools.pairwise(own)]
    assert statistics.median(gaps) < timedelta(minutes=5)
    assert max(gaps) > timedelta(days=2)


def test_conversations_are_in_order_and_ids_are_unique(rows: list[dict]) -> None:
    last: dict[tuple[str, str], str] = {}
    for row in rows:
        key = (row["user"], row["conversation"])
        assert last.get(key, "") <= row["time"]
        last[key] = row["time"]
    assert len({(row["user"], row["conversation"], row["id"]) for row in rows}) == len(rows)
    assert len({row["speaker"] for row in rows}) > 10


def test_memory_does_not_grow_with_the_archive(archive: ModuleType) -> None:
    def peak(n: int) -> int:
        tracemalloc.start()
        for _ in itertools.islice(archive.generate(10**6, 10**9, 7), n):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(100)
    assert peak(2000) < peak(200) + 100_000


def test_command_line(archive: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.jsonl"
    monkeypatch.setattr(sys, "argv", ["generate.py", str(out), "--users", "5", "--messages", "50", "--seed", "3"])
    archive.main()
    assert len(out.read_text("utf-8").splitlines()) == 50
