"""Commands about names: two of one name divided by facts, a pair that is blocked, and how good merging is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_cli import done, failed, told

from hypermnesia.demo import SAMPLE


def archive(folder: Path, *told_by_ann: tuple[str, str]) -> Path:
    lines = [
        {"conversation": conversation, "speaker": "Ann", "text": text, "time": f"2031-03-0{n + 1}T10:00:00"}
        for n, (conversation, text) in enumerate(told_by_ann)
    ]
    path = folder / "ann.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def anchors_of(home: Path, name: str) -> list[dict[str, Any]]:
    """The anchors of Ann's frames that have a name, from what `ask --explain` enters by."""
    entered = told("ask", "ann", f"Where does {name} work?", "--explain", "--home", home)["explain"]["entry"]
    return [anchor for anchor in entered if anchor["name"] == name]


def test_two_of_one_name_are_divided_by_their_birthdays_and_undo_is_exact(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = archive(
        tmp_path,
        ("a", "John Smith was born on May 1, 1990."),
        ("a", "John Smith works at Acme."),
        ("b", "John Smith was born on December 24, 1984."),
        ("b", "John Smith works at Globex."),
    )
    done("backfill", path, "--user", "ann", "--home", home)
    before = told("digest", "--home", home)["graph"]
    (john,) = anchors_of(home, "John Smith")
    assert "name the mentions, or say --by-facts" in failed(
        2, "merges", "split", "ann", john["anchor_id"], "--reason", "x", "--home", home
    )
    split = ("merges", "split", "ann", john["anchor_id"], "--by-facts", "--reason", "two men")
    (apart,) = told(*split, "--home", home)["anchor_ids"]
    assert {anchor["anchor_id"] for anchor in anchors_of(home, "John Smith")} == {john["anchor_id"], apart}
    works = [
        {place for place in ("Acme", "Globex") if place in " ".join(told("show", anchor_id, "--home", home)["frames"])}
        for anchor_id in (john["anchor_id"], apart)
    ]
    assert [len(places) for places in works] == [1, 1]
    assert works[0] != works[1], "each works where his own messages say"
    assert "no fact says" in failed(1, *split, "--home", home)
    (decision,) = told("merges", "list", "ann", "--home", home)
    assert decision["decision"] == "split"
    done("merges", "undo", decision["decision_id"], "--reason", "one man", "--home", home)
    assert told("digest", "--home", home)["graph"] == before


def test_a_blocked_pair_does_not_merge_by_night_nor_later(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done("backfill", SAMPLE / "tomas.jsonl", "--home", home)
    before = told("digest", "--home", home)["graph"]
    night = told("nightly", "--home", home)
    pair = next(
        row
        for row in told("merges", "list", "tomas", "--home", home)
        if {row["left_name"], row["right_name"]} == {"cargo bike", "cargo bikes"}
    )
    done("nightly", "--rollback", night["run_id"], "--home", home)
    assert told("digest", "--home", home)["graph"] == before
    block = ("merges", "block", "tomas", pair["left_id"], pair["right_id"], "--reason", "two bikes")
    assert told(*block, "--home", home) == {"blocked": 1}
    for _ in range(2):
        done("nightly", "--home", home)
    in_force = {(row["left_id"], row["right_id"]): row for row in told("merges", "list", "tomas", "--home", home)}
    assert in_force[pair["left_id"], pair["right_id"]]["decision"] == "blocked"


def test_evaluate_merges_of_generated_users_and_of_pairs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    found = told("evaluate", "merges", "--generated", "1", "--home", home)
    total = found["total"]
    outcomes = ("same_right", "same_wrong", "different_right", "different_wrong", "unsure")
    assert total["n"] == sum(total[name] for name in outcomes) > 100
    assert found["merges"]["n"] > 20
    assert found["merges"]["n_wrong"] == 0
    lost = sum(row["n"] for row in found["lost"].values())
    joined = round(found["merges"]["recall"] * found["merges"]["n_true_pairs"])
    assert joined + lost == found["merges"]["n_true_pairs"], "each true pair is one, or lost at one gate"
    assert "lost at judge" in done("evaluate", "merges", "--generated", "1", "--home", home).stdout

    pairs = tmp_path / "pairs.jsonl"
    rows = [("Harrow Tools", "Harrow Tools Inc.", 1), ("iPhone 12", "iPhone 13", 0)]
    kinds = ["organization", "object"]
    pairs.write_text(
        "".join(
            json.dumps({"a": a, "b": b, "type": kind, "label": label, "kind": kind}) + "\n"
            for (a, b, label), kind in zip(rows, kinds, strict=True)
        )
    )
    by_kind = told("evaluate", "merges", pairs, "--home", home)
    assert by_kind["organization"]["same_right"] == by_kind["object"]["different_right"] == 1
    assert {"n", *outcomes} <= set(by_kind["object"])

    with pairs.open("a") as file:
        file.write('{"a": "Trek 820", "b": "Trek 850", "type": "object"}\n')
    said = failed(1, "evaluate", "merges", pairs, "--sample", "1", "--home", home)
    assert f"{pairs} line 3: label: Field required; a line has a, b, label, type" in said, "though not in the sample"


@pytest.mark.parametrize("options", [[], ["--generated", "1", "--febrl", "x.csv"]])
def test_evaluate_merges_takes_one_thing(tmp_path: Path, options: list[str]) -> None:
    assert "name a FILE of pairs" in failed(2, "evaluate", "merges", *options, "--home", tmp_path)
