"""What a reader keeps: read once, by user, within a number of entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hypermnesia.adapters.kept import Kept


class Store:
    """Finds every id but "gone", and notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def read(self, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        self.asked.append(list(ids))
        return ((one, one.upper()) for one in ids if one != "gone")


def test_what_was_read_is_not_read_again_and_what_is_not_there_is_no_entry() -> None:
    kept, store = Kept[str](10), Store()
    assert kept.read("ana", ["a", "gone"], store.read) == {"a": "A"}
    assert kept.read("ana", ["a", "b"], store.read) == {"a": "A", "b": "B"}
    assert store.asked == [["a", "gone"], ["b"]]


def test_one_user_s_entries_are_not_another_s() -> None:
    kept, store = Kept[str](10), Store()
    kept.read("ana", ["a"], store.read)
    kept.read("bo", ["a"], store.read)
    assert store.asked == [["a"], ["a"]]


def test_the_least_recently_used_goes_first() -> None:
    kept, store = Kept[str](2), Store()
    for one in ("a", "b", "a", "c", "a", "b"):
        assert kept.read("ana", [one], store.read) == {one: one.upper()}
    assert store.asked == [["a"], ["b"], ["c"], ["b"]]
