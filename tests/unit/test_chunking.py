"""How conversations are cut: each message once, natural ends, sizes, sittings, and late messages."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from typing import Any

import polars as pl
from conversations import IDS, Row, conversations, message, messages_frame, sighting, sources_frame
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.rules.chunking import LEAST, MODULUS, MOST, Chunk, cut_chunks, in_sittings, reason_left_out
from hypermnesia.rules.identity import hash_number
from hypermnesia.rules.revisions import messages_in_force

Conversation = tuple[list[Row], list[Row]]


def in_force(conversation: Conversation) -> pl.DataFrame:
    return messages_in_force(messages_frame(conversation[0]), sources_frame(conversation[1]))


def cut(conversation: Conversation) -> list[Chunk]:
    return list(cut_chunks(in_sittings(in_force(conversation)), IDS))


def places(conversation: Conversation) -> dict[str, Row]:
    """Each message that belongs to a chunk, with its sitting and its head."""
    return {row["message_id"]: row for row in in_sittings(in_force(conversation)).to_dicts()}


def turns(chunk: Chunk, rows: dict[str, Row]) -> list[str]:
    return list(dict.fromkeys(rows[m]["head_id"] for m, _ in chunk.messages))


def talk(n: int, *, salt: str = "x", minutes: float = 1, **more: Any) -> Conversation:
    rows = [message(f"{salt}{i}", f"text {i}", **more) for i in range(n)]
    return rows, [sighting(row, i * minutes) for i, row in enumerate(rows)]


@settings(max_examples=20)
@given(conversations())
def test_every_message_is_in_one_chunk_or_left_out_with_a_reason(conversation: Conversation) -> None:
    reasons = dict(in_force(conversation).select("message_id", reason_left_out()).iter_rows())
    cited = Counter(m for chunk in cut(conversation) for m, _ in chunk.messages)
    assert set(cited.values()) <= {1}
    for row in conversation[0]:
        expected = "deleted" if row["is_deleted"] else "other_branch" if row["branch"] else None
        assert reasons[row["message_id"]] == expected
        assert (row["message_id"] in cited) == (expected is None)


@settings(max_examples=20)
@given(conversations())
def test_a_chunk_holds_revisions_of_one_conversation_in_the_order_said(conversation: Conversation) -> None:
    revisions = {row["message_id"]: row["content_hash"] for row in conversation[0]}
    order = {m: n for n, m in enumerate(in_force(conversation)["message_id"])}
    rows = places(conversation)
    for chunk in cut(conversation):
        assert all(revisions[m] == h for m, h in (*chunk.lead, *chunk.messages))
        said = [order[m] for m, _ in (*chunk.lead, *chunk.messages)]
        assert said == sorted(said)
        assert {(rows[m]["conversation_id"], rows[m]["user_id"]) for m, _ in chunk.messages} == {
            (chunk.conversation_id, chunk.user_id)
        }


@settings(max_examples=20)
@given(conversations())
def test_sizes_natural_ends_and_sittings(conversation: Conversation) -> None:
    rows = places(conversation)
    chunks = cut(conversation)

    def sitting(chunk: Chunk) -> tuple[str, int]:
        found = {(rows[m]["conversation_id"], rows[m]["sitting"]) for m, _ in chunk.messages}
        assert len(found) == 1, "a chunk never crosses a sitting"
        return next(iter(found))

    for chunk, after in pairwise([*chunks, None]):
        assert chunk is not None
        size, heads = len(chunk.messages), turns(chunk, rows)
        assert size <= MOST
        is_last = after is None or sitting(after) != sitting(chunk)
        is_natural = hash_number(heads[-1]) % MODULUS == 0 and size >= LEAST
        if not is_last and not is_natural:
            first = sum(rows[m]["head_id"] == turns(after, rows)[0] for m, _ in after.messages)
            assert size + first > MOST, "cut though the next turn fitted"
        sizes = Counter(rows[m]["head_id"] for m, _ in chunk.messages)
        n = 0
        for head in heads[:-1]:
            n += sizes[head]
            assert n < LEAST or hash_number(head) % MODULUS, "a natural end was passed over"


@settings(max_examples=20)
@given(conversations())
def test_what_came_with_a_message_stays_with_it(conversation: Conversation) -> None:
    rows = places(conversation)
    chunk_of = {m: chunk.chunk_id for chunk in cut(conversation) for m, _ in chunk.messages}
    for message_id, row in rows.items():
        assert chunk_of[message_id] == chunk_of[row["head_id"]]


def test_a_message_with_many_attachments_is_never_split() -> None:
    rows = [message("1")] + [message("1", str(n), part=f"attachment/{n:03}") for n in range(40)] + [message("2")]
    chunks = cut((rows, [sighting(row, 0 if row["native_id"] == "1" else 1) for row in rows]))
    assert [len(chunk.messages) for chunk in chunks] == [41, 1]


@settings(max_examples=20)
@given(conversations(), st.randoms())
def test_the_order_of_rows_does_not_matter(conversation: Conversation, random: Any) -> None:
    expected = cut(conversation)
    random.shuffle(conversation[0])
    random.shuffle(conversation[1])
    assert cut(conversation) == expected


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(1, 150), st.data())
def test_a_late_message_moves_only_what_is_before_the_next_common_cut(salt: int, n: int, data: st.DataObject) -> None:
    rows, seen = talk(n, salt=str(salt))
    at = data.draw(st.integers(0, n))
    late = message(f"late-{salt}")
    before, after = cut((rows, seen)), cut(([*rows, late], [*seen, sighting(late, at - 0.5)]))
    firsts = {chunk.messages[0] for chunk in before} & {chunk.messages[0] for chunk in after}
    order = {row["message_id"]: i for i, row in enumerate(rows)}
    common = sorted(order[m] for m, _ in firsts if order[m] >= at)
    bound = common[0] if common else n

    def far(chunks: list[Chunk], start: int) -> list[tuple[str, tuple[Any, ...]]]:
        """What is cut from `start` on: ids and content."""
        kept = [c for c in chunks if order.get(c.messages[0][0], -1) >= start]
        return [(c.chunk_id, c.messages) for c in kept]

    assert far(before, bound) == far(after, bound)
    is_lead_moved = len(far(before, bound)) > 0 and bound < at + 3
    same_content = {c.content_hash for c in before if order[c.messages[0][0]] > bound}
    assert same_content <= {c.content_hash for c in after}
    if not is_lead_moved:
        assert {c.content_hash for c in before if order[c.messages[0][0]] >= bound} <= {c.content_hash for c in after}
    ended_before = {c.content_hash for c in before if order[c.messages[-1][0]] < at - 1}
    assert ended_before <= {c.content_hash for c in after}, "what was said before stays as it is"


def test_late_messages_move_few_chunks() -> None:
    rows, seen = talk(3_000)
    before = {chunk.content_hash for chunk in cut((rows, seen))}
    late = message("late")
    after = {chunk.content_hash for chunk in cut(([*rows, late], [*seen, sighting(late, 1_500.5)]))}
    assert 1 <= len(after - before) <= 4


def test_an_edit_changes_content_and_keeps_the_chunk() -> None:
    rows, seen = talk(20)
    chunks = cut((rows, seen))
    edited = [{**rows[0], "content_hash": IDS.content("new"), "text": "new"}, *rows[1:]]
    after = cut((edited, [sighting(edited[0]), *seen[1:]]))
    assert [c.chunk_id for c in after] == [c.chunk_id for c in chunks]
    assert after[0].content_hash != chunks[0].content_hash


def test_lead_is_the_two_turns_before_in_the_sitting() -> None:
    rows, seen = talk(120)
    chunks = cut((rows, seen))
    assert len(chunks) > 3
    assert chunks[0].lead == ()
    for before, chunk in pairwise(chunks):
        assert chunk.lead == before.messages[-2:]
    other_lead = cut((rows[1:], seen[1:]))  # the same chunk behind another lead is other content
    assert {c.chunk_id for c in other_lead} & {c.chunk_id for c in chunks}


def sittings(rows: list[Row], seen: list[Row]) -> list[int]:
    return in_sittings(in_force((rows, seen)))["sitting"].to_list()


def test_a_sitting_ends_at_a_gap_of_hours() -> None:
    rows = [message(str(n)) for n in range(4)]
    at = [0, 240, 240 + 240 + 1 / 60, 9_999]
    assert sittings(rows, [sighting(r, m) for r, m in zip(rows, at, strict=True)]) == [0, 0, 1, 2]


def test_the_archives_own_sessions_cut_and_gaps_inside_them_do_not() -> None:
    rows = [message(str(n), session=session) for n, session in enumerate(["s1", "s1", "s2", "s2"])]
    at = [0, 9_999, 10_000, 99_999]
    assert sittings(rows, [sighting(r, m) for r, m in zip(rows, at, strict=True)]) == [0, 0, 1, 1]


def test_without_times_there_is_one_sitting() -> None:
    rows = [message(str(n)) for n in range(3)]
    assert sittings(rows, [sighting(r, None, sequence=n) for n, r in enumerate(rows)]) == [0, 0, 0]


def test_what_is_left_out_makes_no_gap_of_its_own() -> None:
    rows = [message("1"), message("2", is_deleted=True), message("3")]
    at = [timedelta(hours=h).total_seconds() / 60 for h in (0, 3, 6)]
    assert sittings(rows, [sighting(r, m) for r, m in zip(rows, at, strict=True)]) == [0, 1]


@given(st.sampled_from(["s1", None]), st.sampled_from(["s1", "s2", None]))
def test_a_conversations_sittings_do_not_depend_on_its_neighbours(mine: str | None, theirs: str | None) -> None:
    """Two users share a bucket: what one says must not change the other's rows."""
    rows = [message(str(n), conversation="mine", session=mine) for n in range(3)]
    others = [message(str(n), user="bob", conversation=f"c{n}", session=theirs) for n in range(8)]
    seen = [sighting(row, 1_000) for row in [*rows, *others]]
    found = places(([*rows, *others], seen))
    assert {row["sitting"] for row in found.values()} == {0}


def test_two_users_share_no_chunk() -> None:
    ann, bob = talk(40), talk(40, user="bob")
    both = ([*ann[0], *bob[0]], [*ann[1], *bob[1]])
    by_user = {user: {c.chunk_id for c in cut(both) if c.user_id == user} for user in ("ann", "bob")}
    assert by_user["ann"] == {c.chunk_id for c in cut(ann)}
    assert not by_user["ann"] & by_user["bob"]
