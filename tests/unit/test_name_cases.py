"""Field failures of area G (entity resolution), as far as names, judge and clusters go."""

from __future__ import annotations

from itertools import combinations

from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.clusters import ClusterAnchor, Decision, components
from hypermnesia.rules.name_hypotheses import MentionContext, link_bare_name
from hypermnesia.rules.name_keys import name_keys, proposed_pairs
from hypermnesia.rules.names import RULES_VERSION, Named, is_compatible, judge


def resolved(named: dict[str, Named], *more: Decision, bare: frozenset[str] = frozenset()) -> dict[str, str]:
    """Anchors to kept anchors, by proposals, judge and clusters."""
    decisions = [*more]
    for a, b in proposed_pairs({i: (n.name, n.type) for i, n in named.items()}):
        verdict = judge(named[a], named[b])
        if verdict.answer != "unsure":
            decision_id = f"{a}={b}"
            decisions.append(Decision(decision_id, verdict.answer, a, b, "string", RULES_VERSION, verdict.strength))
    anchors = [ClusterAnchor(i, 1, "", i in bare) for i in named]
    return dict(
        components(
            anchors, decisions, lambda x, y: is_compatible(judge(named[x], named[y])), rules_version=RULES_VERSION
        )
    )


def test_g01_a_first_name_bridges_nobody() -> None:
    names = {"moreau": "Robin Moreau", "okafor": "Robin Okafor"}
    named = {i: Named(name, "person") for i, name in names.items()} | {"robin": Named("Robin", "person")}
    assert len(set(resolved(named, bare=frozenset(("robin",))).values())) == 3
    link = link_bare_name(MentionContext("Robin", names, names))
    assert link is not None
    assert (link.anchor_id, link.candidates) == (None, ("moreau", "okafor"))
    assert judge(Named("Robin", "person"), Named("Robin", "organization")).answer == "different"


def test_g02_one_character_is_another_thing() -> None:
    names = [
        "Maintenance Ticket MT-2031-0417",
        "Maintenance Ticket MT-2031-0418",
        "iPhone 12",
        "iPhone 12 Pro",
        "Quarterly Review Meeting 2031-03-01",
        "Quarterly Review Meeting 2031-03-02",
    ]
    named = {name: Named(name, "object") for name in names}
    assert len(set(resolved(named).values())) == 6
    for a, b in zip(names[::2], names[1::2], strict=True):
        assert judge(named[a], named[b]).answer == "different"


def test_g04_only_compared_pairs_join() -> None:
    """1 and 2 have one name and were split by hand; 3, a typo of it, pulls neither in."""
    named = {"1": Named("Ledger Importer", "object"), "2": Named("Ledger Importer", "object")}
    named["3"] = Named("Ledger Importr", "object")
    split = Decision("split", "split", "1", "2", "person")
    assert resolved(named, split) == {"1": "1", "2": "2", "3": "3"}
    confirmed = Decision("confirmed", "same", "1", "3", "person")
    assert resolved(named, split, confirmed) == {"1": "1", "2": "2", "3": "1"}


def test_g05_names_in_other_scripts_keep_their_keys() -> None:
    names = ["茶壶", "雨伞", "京都 Library", "奈良 Library", "하늘 서점", "하늘서점", "Renée", "Renee"]
    assert len({anchor_key(name) for name in names}) == 8
    named = {name: Named(name, "person" if name.startswith("Ren") else "organization") for name in names}
    kept = resolved(named)
    assert kept["하늘 서점"] == kept["하늘서점"]
    assert len(set(kept.values())) == 7
    # The accent variant is a candidate: proposed, and left to a judge who sees more than strings.
    assert name_keys("Renée", "person") & name_keys("Renee", "person")
    assert judge(named["Renée"], named["Renee"]).answer == "unsure"
    assert anchor_key("…") is None


def test_g07_a_merge_is_undone_exactly_and_a_block_survives() -> None:
    named = {"k": Named("Dana K.", "person"), "kim": Named("Dana Kim", "person")}
    before = resolved(named)
    merge = Decision("merge", "same", "k", "kim", "model", decided_at="2031-01-01")
    assert len(set(resolved(named, merge).values())) == 1
    undone = Decision("undo", "undone", judged_by="person", undoes="merge")
    assert resolved(named, merge, undone) == before
    block = Decision("block", "blocked", "k", "kim", "person")
    again = Decision("again", "same", "k", "kim", "model", decided_at="2032-01-01")
    assert resolved(named, merge, undone, block, again) == before


def test_g08_the_same_name_and_type_is_one_the_same_name_of_another_type_is_not() -> None:
    assert anchor_key("QVRA") == anchor_key("qvra ")
    one, two, project = Named("QVRA", "organization"), Named("QVRA", "organization"), Named("QVRA", "concept")
    assert judge(one, two).rule == "equal"
    assert judge(one, project).answer == "different"
    named = {"1": one, "2": two, "3": project}
    assert proposed_pairs({i: (n.name, n.type) for i, n in named.items()}) == {("1", "2")}
    assert resolved(named) == {"1": "1", "2": "1", "3": "3"}


def test_g10_the_kept_anchor_is_the_same_in_every_order_and_in_circles() -> None:
    circle = [Decision("1", "same", "a", "b", "model"), Decision("2", "same", "b", "a", "model")]
    anchors = [ClusterAnchor("a", 2, "2031"), ClusterAnchor("b", 2, "2030"), ClusterAnchor("c", 9, "2029")]
    results = [
        components(order, decisions, lambda x, y: True, rules_version=RULES_VERSION)
        for order in (anchors, anchors[::-1])
        for decisions in (circle, circle[::-1], circle[:1], circle[1:])
    ]
    assert all(x == y for x, y in combinations(results, 2))
    assert results[0] == {"a": "b", "b": "b", "c": "c"}
