"""Clusters are computed from the decisions in force, in any order, and undoing is the same without a decision."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.clusters import ClusterAnchor, Clusters, Decision, cluster, components, in_force

NOW = "names-2"
IDS = list("abcdefg")


def anchor(anchor_id: str, n_records: int = 1, first_at: str = "2030", bare: bool = False) -> ClusterAnchor:
    return ClusterAnchor(anchor_id, n_records, first_at, bare)


def said(kind: str, a: str, b: str, by: str = "string", strength: int = 50, at: str = "", tag: str = "") -> Decision:
    return Decision(f"{kind}:{a}:{b}:{by}{at}{tag}", kind, a, b, by, NOW, strength, at)  # type: ignore[arg-type]


def undo(decision: Decision, tag: str = "") -> Decision:
    return Decision(f"undo:{decision.decision_id}{tag}", "undone", judged_by="person", undoes=decision.decision_id)


def always(x: str, y: str) -> bool:
    return True


def never(x: str, y: str) -> bool:
    return False


def of(ids: str, *decisions: Decision, compatible: object = always, **more: int) -> Clusters:
    return cluster([anchor(i) for i in ids], decisions, compatible, rules_version=NOW, **more)  # type: ignore[arg-type]


def groups(found: Clusters) -> list[str]:
    by_kept: dict[str, str] = {}
    for member, kept in sorted(found.kept.items()):
        by_kept[kept] = by_kept.get(kept, "") + member
    return sorted(by_kept.values())


ANCHORS = st.lists(
    st.builds(ClusterAnchor, st.sampled_from(IDS), st.integers(0, 3), st.sampled_from(["2029", "2030"]), st.booleans()),
    unique_by=lambda a: a.anchor_id,
)
DECISIONS = st.lists(
    st.builds(
        Decision,
        st.uuids().map(str),
        st.sampled_from(["same", "same", "same", "different", "split", "blocked", "deferred"]),
        st.sampled_from(IDS),
        st.sampled_from(IDS),
        st.sampled_from(["person", "model", "string"]),
        st.sampled_from([NOW, "names-1"]),
        st.integers(0, 3),
        st.sampled_from(["", "2030", "2031"]),
    ),
    max_size=12,
    unique_by=lambda d: d.decision_id,
)
EXCLUDED = st.frozensets(st.sampled_from(list(combinations(IDS, 2))), max_size=6)


@given(ANCHORS, DECISIONS, EXCLUDED, st.randoms(use_true_random=False))
def test_order_never_matters(
    anchors: list[ClusterAnchor], decisions: list[Decision], excluded: frozenset[tuple[str, str]], rng: random.Random
) -> None:
    def compatible(x: str, y: str) -> bool:
        return (x, y) not in excluded

    before = cluster(anchors, decisions, compatible, rules_version=NOW)
    shuffled = [replace(d, a=d.b, b=d.a) if rng.random() < 0.5 else d for d in decisions]
    rng.shuffle(shuffled)
    others = list(anchors)
    rng.shuffle(others)
    assert cluster(others, shuffled, compatible, rules_version=NOW).kept == before.kept


@given(ANCHORS, DECISIONS, EXCLUDED)
def test_no_component_holds_a_forbidden_pair(
    anchors: list[ClusterAnchor], decisions: list[Decision], excluded: frozenset[tuple[str, str]]
) -> None:
    found = cluster(anchors, decisions, lambda x, y: (x, y) not in excluded, rules_version=NOW)
    assert set(found.kept) == {a.anchor_id for a in anchors}
    for kept in found.kept.values():
        assert found.kept[kept] == kept
    force = in_force(decisions, NOW)
    by_person = any(d.kind == "same" and d.judged_by == "person" for d in force)
    for x, y in combinations(sorted(found.kept), 2):
        if found.kept[x] != found.kept[y]:
            continue
        about = [d for d in force if d.pair == (x, y)]
        assert not any(d.kind in ("blocked", "split") for d in about)
        assert by_person or (x, y) not in excluded or any(d.kind == "same" for d in about)


@given(ANCHORS, DECISIONS, DECISIONS)
def test_undo_is_exact_also_after_later_decisions(
    anchors: list[ClusterAnchor], decisions: list[Decision], later: list[Decision]
) -> None:
    later = [d for d in later if d.decision_id not in {x.decision_id for x in decisions}]
    for decision in decisions:
        without = [d for d in decisions + later if d is not decision]
        undone = [*decisions, *later, undo(decision)]
        assert components(anchors, undone, always, rules_version=NOW) == components(
            anchors, without, always, rules_version=NOW
        )


def test_an_undo_that_is_undone_brings_the_decision_back() -> None:
    merge = said("same", "a", "b", "person")
    first = undo(merge)
    assert groups(of("ab", merge, first)) == ["a", "b"]
    assert groups(of("ab", merge, first, undo(first))) == ["ab"]


def test_undoings_in_a_circle_are_an_error() -> None:
    one = Decision("one", "undone", undoes="two", judged_by="person")
    two = Decision("two", "undone", undoes="one", judged_by="person")
    with pytest.raises(ValueError, match="undoes itself"):
        in_force([one, two], NOW)


def test_only_the_current_rules_decide_people_and_models_stay() -> None:
    pairs = (("ab", "string"), ("cd", "model"), ("ef", "person"))
    old = [replace(said("same", a, b, by), rules_version="names-1") for (a, b), by in pairs]
    assert groups(of("abcdef", *old)) == ["a", "b", "cd", "ef"]


def test_every_cross_pair_must_be_compatible() -> None:
    edges = [said("same", "a", "b", "model"), said("same", "b", "c", "model")]
    assert groups(of("abc", *edges)) == ["abc"]
    found = of("abc", *edges, compatible=never)
    assert groups(found) == ["ab", "c"]
    assert list(found.refused.values()) == ["a and c are not compatible"]


def test_a_persons_word_beats_strings_but_not_a_block() -> None:
    word = said("same", "a", "b", "person")
    assert groups(of("ab", word, said("different", "a", "b"), compatible=never)) == ["ab"]
    assert groups(of("ab", word, said("blocked", "a", "b", "person"))) == ["a", "b"]
    # What a model said of two names holds against what strings say of their aliases, not against people.
    no = said("different", "a", "c", "model")
    assert groups(of("abc", word, said("same", "b", "c"), no)) == ["ab", "c"]
    # A married woman: the aliases of both names differ as strings.
    edges = [said("same", "a", "c"), said("same", "b", "d"), word, said("different", "c", "d")]
    assert groups(of("abcd", *edges, compatible=lambda x, y: (x, y) in (("a", "c"), ("b", "d")))) == ["abcd"]


def test_the_later_word_of_a_person_counts() -> None:
    yes, no = said("same", "a", "b", "person", at="2030"), said("different", "a", "b", "person", at="2031")
    assert groups(of("ab", yes, no)) == ["a", "b"]
    assert groups(of("ab", no, said("same", "a", "b", "person", at="2032"))) == ["ab"]


def test_what_strings_say_later_with_more_facts_counts() -> None:
    yes, no = said("same", "a", "b", at="2030"), said("different", "a", "b", at="2031")
    assert groups(of("ab", yes, no)) == ["a", "b"]
    assert groups(of("ab", yes, replace(no, decided_at="2030"))) == ["a", "b"]
    assert groups(of("ab", yes, replace(no, decided_at="2029"))) == ["ab"]


def test_a_block_forbids_for_good_and_a_split_keeps_sub_anchors_apart() -> None:
    for kind in ("blocked", "split"):
        fence = said(kind, "a", "b", "person", at="2030")
        edges = [said("same", "a", "b", "person", at="2031"), said("same", "a", "c", at="1"), fence]
        assert groups(of("abc", *edges)) == ["ac", "b"]
        assert groups(of("abc", *edges, undo(fence))) == ["abc"]


def test_twelve_aliases_unless_a_person_confirms() -> None:
    ids = "abcdefghijklmn"
    chain = [said("same", "a", i) for i in ids[1:]]
    found = of(ids, *chain)
    assert max(map(len, groups(found))) == 12
    assert set(found.refused.values()) == {"more than 12 aliases"}
    confirmed = [said("same", "a", i, "person") for i in ids[1:]]
    assert groups(of(ids, *confirmed)) == [ids]


def test_an_anchor_that_fits_two_rivals_is_left_alone() -> None:
    """Acme is Acme GmbH and Acme AG; "The Acme" is whichever Acme is."""
    edges = [said("same", "a", "b"), said("same", "a", "c"), said("different", "b", "c"), said("same", "a", "d")]
    found = of("abcd", *edges)
    assert groups(found) == ["a", "b", "c", "d"]
    assert set(found.refused.values()) == {"a rival fits as well"}
    assert groups(of("abcd", *edges, said("same", "a", "b", "person"))) == ["abd", "c"]


def test_a_bare_name_never_bridges() -> None:
    anchors = [anchor("anna", bare=True), anchor("kim"), anchor("kowalska")]
    for by, expected in (("string", 3), ("model", 3), ("person", 3)):
        edges = [said("same", "anna", "kim", by), said("same", "anna", "kowalska", by)]
        assert len(set(components(anchors, edges, always, rules_version=NOW).values())) == expected
    one = [said("same", "anna", "kim", "person")]
    assert len(set(components(anchors, one, always, rules_version=NOW).values())) == 2


def test_kept_has_most_records_then_is_earliest_then_smallest() -> None:
    edge = [said("same", "a", "b")]
    for anchors, kept in (
        ([anchor("a", 1), anchor("b", 2)], "b"),
        ([anchor("a", 1, "2031"), anchor("b", 1, "2030")], "b"),
        ([anchor("a", 1), anchor("b", 1)], "a"),
    ):
        assert components(anchors, edge, always, rules_version=NOW) == {"a": kept, "b": kept}


def test_decisions_about_anchors_that_are_gone_are_passed_over() -> None:
    assert groups(of("ab", said("same", "a", "z"), said("same", "a", "b"))) == ["ab"]
