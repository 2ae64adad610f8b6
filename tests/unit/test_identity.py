"""Ids: keyed, collision-free over part lists, and walls between users."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.identity import PREFIXES, Identity, bucket_of, hash_number, need_user

IDS = Identity(b"k" * 32)
OTHER = Identity(b"o" * 32)
PARTS = st.lists(
    st.none() | st.text(max_size=5) | st.sampled_from(["", "a", "b", "|", "n0:", "s1:a", "a|s1:b"]), max_size=4
)
NAMES = st.text(min_size=1, max_size=10).filter(str.strip)


@given(PARTS, PARTS)
def test_two_lists_of_parts_never_read_the_same(one: list[str | None], two: list[str | None]) -> None:
    assert (IDS.make("message", *one) == IDS.make("message", *two)) == (one == two)


def test_parts_do_not_run_together() -> None:
    lists: list[list[str | None]] = [
        ["ab"],
        ["a", "b"],
        ["", "ab"],
        ["ab", ""],
        ["a|b"],
        ["s1:a|s1:b"],
        [],
        [""],
        [None],
    ]
    assert len({IDS.make("message", *parts) for parts in lists}) == len(lists)


def test_absent_is_not_empty() -> None:
    assert IDS.make("record", None) != IDS.make("record", "")
    assert IDS.message("c", "", None, (None, "a", "t", 0)) != IDS.message("c", "", None, ("", "a", "t", 0))


def test_a_kind_is_part_of_the_id() -> None:
    ids = {IDS.make(kind, "x").split("_")[1] for kind in PREFIXES}
    assert len(ids) == len(PREFIXES) == len(set(PREFIXES.values()))


@given(PARTS)
def test_an_id_is_a_prefix_and_32_hex_digits(parts: list[str | None]) -> None:
    made = IDS.make("chunk", *parts)
    assert re.fullmatch(r"chk_[0-9a-f]{32}", made)
    assert hash_number(made) == int(made[4:], 16)


@given(PARTS)
def test_the_key_makes_the_ids(parts: list[str | None]) -> None:
    assert Identity(b"k" * 32).make("message", *parts) == IDS.make("message", *parts)
    assert OTHER.make("message", *parts) != IDS.make("message", *parts)


def test_ids_stay_over_releases() -> None:
    assert IDS.make("message", "a", None, "é") == "msg_050b5461b2c7816319b1f1c735307ae9"
    assert IDS.content("Hello") == "txt_cd977f7c33daac678d883bde69098df3"
    assert bucket_of("conv-26", 64) == 13


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        Identity(b"short")


@given(NAMES, NAMES, st.lists(st.tuples(NAMES, st.text(max_size=8)), max_size=5))
def test_two_users_share_no_id_of_the_same_conversation(one: str, two: str, said: list[tuple[str, str]]) -> None:
    def every_id(user: str) -> set[str]:
        conversation = IDS.conversation(user, "jsonl", "shared")
        messages = [IDS.message(conversation, "", native) for native, _ in said]
        messages += [IDS.message(conversation, "", None, (None, "ann", text, n)) for n, (_, text) in enumerate(said)]
        records = [IDS.record(user, "episodic", [("msg_1", "txt_1")], "v", text) for _, text in said]
        return {conversation, *messages, *records}

    if one == two:
        assert every_id(one) == every_id(two)
    else:
        assert not every_id(one) & every_id(two)


def test_a_messages_name_is_its_native_id_or_what_is_known_of_it() -> None:
    unnamed = ("2024-01-01", "Ann", "hi", 0)
    ids = [
        IDS.message("c", "", "1", unnamed),
        IDS.message("c", "attachment/000", "1", unnamed),
        IDS.message("d", "", "1", unnamed),
        IDS.message("c", "", None, unnamed),
        IDS.message("c", "", None, ("2024-01-01", "Ann", "hi", 1)),
        IDS.message("c", "", None, ("2024-01-02", "Ann", "hi", 0)),
        IDS.message("c", "", None, ("2024-01-01", "Ben", "hi", 0)),
        IDS.message("c", "", None, ("2024-01-01", "Ann", "ho", 0)),
    ]
    assert len(set(ids)) == len(ids)
    assert IDS.message("c", "", "1") == ids[0]  # a native id is enough: an edit keeps the id
    with pytest.raises(ValueError, match="native id"):
        IDS.message("c", "", None)


def test_a_record_does_not_depend_on_the_order_of_what_it_cites() -> None:
    cited = [("m1", "h1"), ("m2", "h2")]
    assert IDS.record("u", "episodic", cited, "v1", "t") == IDS.record("u", "episodic", cited[::-1], "v1", "t")
    others = [
        IDS.record("u", "episodic", cited, "v1", "t"),
        IDS.record("w", "episodic", cited, "v1", "t"),
        IDS.record("u", "semantic", cited, "v1", "t"),
        IDS.record("u", "episodic", [("m1", "h2"), ("m2", "h2")], "v1", "t"),
        IDS.record("u", "episodic", cited, "v2", "t"),
        IDS.record("u", "episodic", cited, "v1", "T"),
    ]
    assert len(set(others)) == len(others)


@pytest.mark.parametrize("empty", ["", " ", "\n\t", None])
def test_an_empty_user_is_an_error(empty: str | None) -> None:
    with pytest.raises(ValueError, match="a user is needed"):
        need_user(empty)
    for make in (
        lambda: IDS.conversation(empty or "", "jsonl", "c"),
        lambda: IDS.record(empty or "", "episodic", [], "v", "t"),
        lambda: bucket_of(empty or "", 64),
    ):
        with pytest.raises(ValueError, match="a user is needed"):
            make()


@given(NAMES, st.integers(1, 64))
def test_a_bucket_is_in_range(user: str, n: int) -> None:
    assert 0 <= bucket_of(user, n) < n
