"""Typed reads: the current view by rule, resources by search, procedures with a floor, and a reader over a lake."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows_in_memory import BagOfWords, MemoryIndex, make_rows

from hypermnesia.adapters.onnx import OnnxEmbedder
from hypermnesia.contracts.tables import RECORDS
from hypermnesia.ports import IndexRow
from hypermnesia.retrieval.cache import Histories
from hypermnesia.retrieval.resource_search import ResourceSearch
from hypermnesia.retrieval.typed import PROCEDURE_FLOOR, TypedReader
from hypermnesia.rules.core_view import DENIED, IN_FORCE, NOT_ASSERTED, SUPERSEDED, Statement, core_view
from hypermnesia.rules.embedding_text import own_text
from hypermnesia.rules.identity import bucket_of
from hypermnesia.rules.linguistic.inventory import is_single_valued

FIXTURES = Path(__file__).parent.parent / "fixtures"


def said(n: int, predicate: str, value: str, day: str, **more: Any) -> Statement:
    return Statement(f"row_{n}", predicate, more.pop("subject", "Ann"), value, day, **more)


def view(*statements: Statement) -> list[tuple[str, str]]:
    return [(held.value, held.status) for held in core_view(statements, is_single_valued)]


def test_of_a_single_value_the_newest_is_in_force() -> None:
    lives = [said(1, "lives_in", "Paris", "2020-01-01"), said(2, "lives_in", "Berlin", "2021-01-01")]
    assert view(*lives) == [("Berlin", IN_FORCE), ("Paris", SUPERSEDED)]
    back = said(3, "lives_in", "paris", "2022-01-01")
    assert view(*lives, back) == [("paris", IN_FORCE), ("Berlin", SUPERSEDED)]


def test_of_several_values_all_hold() -> None:
    assert view(said(1, "speaks", "Dutch", "2020"), said(2, "speaks", "Thai", "2021")) == [
        ("Thai", IN_FORCE),
        ("Dutch", IN_FORCE),
    ]


def test_a_denial_ends_a_value_until_it_is_said_again() -> None:
    is_so = said(1, "allergic_to", "nuts", "2020")
    denial = said(2, "allergic_to", "nuts", "2021", is_negated=True)
    assert view(is_so, denial) == [("nuts", DENIED)]
    assert view(is_so, denial, said(3, "allergic_to", "nuts", "2022")) == [("nuts", IN_FORCE)]
    assert view(said(1, "lives_in", "Paris", "2020"), said(2, "lives_in", "Paris", "2021", is_negated=True)) == [
        ("Paris", DENIED)
    ]
    (held,) = core_view([is_so, denial], is_single_valued)
    assert [s.row_id for s in held.statements] == ["row_2", "row_1"]


@pytest.mark.parametrize("modality", ["planned", "cancelled", "hypothetical", "quoted", "question"])
def test_what_is_not_asserted_replaces_nothing(modality: str) -> None:
    lives = said(1, "lives_in", "Paris", "2020")
    plan = said(2, "lives_in", "Oslo", "2021", modality=modality)
    assert view(lives, plan) == [("Paris", IN_FORCE), ("Oslo", NOT_ASSERTED)]
    assert view(said(1, "lives_in", "Oslo", "2020"), plan) == [("Oslo", IN_FORCE)]


def test_subjects_do_not_replace_each_other() -> None:
    theirs = said(2, "lives_in", "Bonn", "2021", subject="Vera")
    assert view(said(1, "lives_in", "Paris", "2020"), theirs) == [("Paris", IN_FORCE), ("Bonn", IN_FORCE)]


STATEMENTS = st.lists(
    st.builds(
        Statement,
        row_id=st.uuids().map(str),
        predicate=st.sampled_from(["lives_in", "speaks", "favourite_food"]),
        subject=st.sampled_from(["Ann", "ann", "Ben"]),
        value=st.sampled_from(["Rome", "ROME", "Oslo", "Bonn"]),
        said=st.sampled_from(["", "2020-01-01", "2021-01-01", "2021-01-01T09:00:00"]),
        is_negated=st.booleans(),
        modality=st.sampled_from(["done", "planned"]),
    ),
    unique_by=lambda s: s.row_id,
    max_size=12,
)


@given(STATEMENTS, st.randoms())
def test_the_view_keeps_every_statement_and_no_order_changes_it(statements: list[Statement], random: Any) -> None:
    found = core_view(statements, is_single_valued)
    assert sorted(s.row_id for held in found for s in held.statements) == sorted(s.row_id for s in statements)
    shuffled = list(statements)
    random.shuffle(shuffled)
    assert core_view(shuffled, is_single_valued) == found
    single = [(h.predicate, h.subject.casefold()) for h in found if h.status == IN_FORCE and h.predicate != "speaks"]
    assert len(single) == len(set(single))
    for held in found:
        assert not (held.status == IN_FORCE and held.statements[0].is_negated)


# Resources


def test_resources_are_found_by_title_section_and_text() -> None:
    search = ResourceSearch(
        [
            ("Handbook", "Handbook > Garden", "Orchids get water on Mondays, and the espresso machine stands outside."),
            ("Handbook", "Handbook > Espresso machine", "Descale it with vinegar."),
            ("Lease", "Lease > Deposit", "Two months of rent."),
        ]
    )
    assert int(search.scores("espresso machine").argmax()) == 1
    assert int(search.scores("the lease").argmax()) == 2
    assert search.scores("submarine").tolist() == [0.0, 0.0, 0.0]
    assert search.scores("and the of").tolist() == [0.0, 0.0, 0.0]
    assert ResourceSearch([]).scores("x").tolist() == []


# Procedures


def test_the_floor_gives_the_right_procedure_or_none() -> None:
    """Pairs of our own: 24 descriptions of 12 procedures, 20 of none. A wrong procedure harms more than none."""
    lines = [json.loads(line) for line in (FIXTURES / "procedures.jsonl").read_text().splitlines()]
    known = [line for line in lines if line["text"]]
    embedder = OnnxEmbedder()
    vectors = embedder.embed([own_text("Ann", line["text"]) for line in known])
    right = 0
    for number, line in enumerate(lines):
        for task in line["asked"]:
            scores = vectors @ embedder.embed([task])[0]
            best = int(scores.argmax())
            if scores[best] >= PROCEDURE_FLOOR:
                assert line["text"] and best == number, task
                right += 1
    assert right >= 19


# The reader


class RecordsLake:
    """The records table of a lake, in memory; counts reads."""

    n_buckets = 64

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.n_reads = 0

    def read(
        self,
        table: str,
        *,
        columns: Sequence[str] | None = None,
        buckets: Sequence[int] | None = None,
        equals: Mapping[str, str | Sequence[str]] | None = None,
    ) -> pa.Table:
        assert table == "records" and equals is not None and columns is not None
        user, types = equals["user_id"], equals["memory_type"]
        assert buckets == [bucket_of(str(user), self.n_buckets)]
        self.n_reads += 1
        rows = [r for r in self.records if r["user_id"] == user and r["memory_type"] in types]
        return RECORDS.table(rows).select(list(columns))


class Memory:
    """A published index and its lake."""

    def __init__(self) -> None:
        self.lake, self.index = RecordsLake(), NamedIndex()
        self.histories = Histories(self.index, 1_000)
        self.reader = self.open()

    def open(self, cache_rows: int = 1_000) -> TypedReader:
        lake: Any = self.lake
        return TypedReader(lake, self.index, self.histories, BagOfWords(), cache_rows=cache_rows, floor=0.3)

    def add(self, user: str, memory_type: str, text: str, day: str | None = "2023-05-08", **attributes: Any) -> str:
        steps = attributes.pop("steps", ())
        is_negated = attributes.pop("is_negated", False)
        (row,) = make_rows([("Ann", text)], user=user, day=day, first=len(self.lake.records))
        pairs = [*attributes.items(), *(("step", step) for step in steps)]
        self.lake.records.append(
            {
                "user_id": user,
                "row_id": row.row_id,
                "memory_type": memory_type,
                "attributes": [{"key": key, "value": value} for key, value in pairs],
                "is_negated": is_negated,
            }
        )
        self.index.publish([*self.index.rows, replace(row, memory_type=memory_type)])
        return row.row_id

    def fact(self, user: str, predicate: str, value: str, day: str | None = "2023-05-08", **more: Any) -> str:
        text = f"Ann {predicate} {value}"
        return self.add(user, "semantic", text, day, predicate=predicate, subject="Ann", value=value, **more)


class NamedIndex(MemoryIndex):
    """An index that also serves names: none."""

    def reader(self) -> Any:
        reader: Any = super().reader()
        reader.user_names = lambda _: []
        return reader


@pytest.fixture
def memory() -> Memory:
    return Memory()


def test_core_reads_core_facts_and_core_records(memory: Memory) -> None:
    old = memory.fact("ann", "lives_in", "Paris", "2020-05-08")
    new = memory.fact("ann", "lives_in", "Berlin", "2021-05-08")
    memory.fact("ann", "likes", "tea")
    order = memory.add("ann", "core", "Answer in French.", kind="instruction", about="Ann")
    facts = memory.reader.core("ann")["facts"]
    assert [(fact["records"][0]["row_id"], fact["status"], fact["kind"]) for fact in facts] == [
        (new, "in_force", "fact"),
        (old, "superseded", "fact"),
        (order, "in_force", "instruction"),
    ]
    assert facts[0]["records"][0]["sources"][0]["native_id"] == "D1:1"
    as_of = memory.reader.core("ann", as_of="2020-12-31")["facts"]
    assert [(fact["value"], fact["status"]) for fact in as_of] == [("Paris", "in_force")]
    assert len(memory.reader.core("ann", limit=2)["facts"]) == 2


def test_a_fact_without_a_time_is_older_than_any(memory: Memory) -> None:
    memory.fact("ann", "lives_in", "Paris", None)
    memory.fact("ann", "lives_in", "Berlin", "2001-05-08")
    assert [fact["value"] for fact in memory.reader.core("ann")["facts"]] == ["Berlin", "Paris"]


def test_procedures_and_resources(memory: Memory) -> None:
    bread = memory.add("ann", "procedural", "bake bread in the oven", steps=("mix", "bake"))
    memory.add("ann", "resource", "water the orchid", title="Handbook", section="Garden", start="3", end="19")
    memory.add("ann", "resource", "a picture of a boat", title="boat.png", kind="image")
    (found,) = memory.reader.procedures("ann", "bake bread")["procedures"]
    assert (found["row_id"], found["steps"]) == (bread, ["mix", "bake"])
    assert memory.reader.procedures("ann", "quantum theory lecture notes")["procedures"] == []
    garden, *rest = memory.reader.resources("ann", "garden orchid")["resources"]
    assert not rest and {n: garden[n] for n in ("title", "section", "kind", "start", "end")} == {
        "title": "Handbook", "section": "Garden", "kind": "document", "start": 3, "end": 19,
    }  # fmt: skip
    (boat,) = memory.reader.resources("ann", "boat")["resources"]
    assert (boat["kind"], boat["start"], boat["section"]) == ("image", None, None)


def test_what_the_index_does_not_serve_is_not_in_force(memory: Memory) -> None:
    memory.fact("ann", "lives_in", "Paris")
    memory.index.publish([])
    assert memory.reader.core("ann")["facts"] == []


def test_what_the_lake_does_not_keep_any_more_is_not_shown(memory: Memory) -> None:
    memory.fact("ann", "lives_in", "Paris")
    memory.lake.records.clear()
    assert memory.reader.core("ann")["facts"] == []


def test_what_was_read_is_kept_until_another_generation(memory: Memory) -> None:
    memory.fact("ann", "lives_in", "Paris")
    memory.fact("ben", "lives_in", "Rome")
    for _ in range(3):
        memory.reader.core("ann")
        memory.reader.resources("ann", "x")
    assert memory.lake.n_reads == 1
    memory.fact("ann", "lives_in", "Oslo", "2024-05-08")
    assert [fact["value"] for fact in memory.reader.core("ann")["facts"]] == ["Oslo", "Paris"]
    small = memory.open(cache_rows=1)
    for user in ("ann", "ben", "ann"):
        small.core(user)
    assert memory.lake.n_reads == 2 + 3


@pytest.mark.parametrize("user", ["ann'", "an", "Ann", "ann ", "\u212bnn", 'ann" or true'])
def test_users_are_walls(memory: Memory, user: str) -> None:
    memory.fact("ann", "lives_in", "Paris")
    memory.add("ann", "procedural", "bake bread in the oven", steps=("mix", "bake"))
    memory.add("ann", "resource", "water the orchid", title="Handbook")
    reader = memory.reader
    assert reader.core(user)["facts"] == []
    assert reader.procedures(user, "bake bread in the oven")["procedures"] == []
    assert reader.resources(user, "orchid")["resources"] == []


@pytest.mark.parametrize("user", ["", " ", "\n"])
def test_an_empty_user_is_an_error(memory: Memory, user: str) -> None:
    memory.fact("ann", "lives_in", "Paris")
    for read in (
        memory.reader.core,
        lambda u: memory.reader.procedures(u, "x"),
        lambda u: memory.reader.resources(u, "x"),
    ):
        with pytest.raises(ValueError, match="user"):
            read(user)


def test_what_cannot_be_asked(memory: Memory) -> None:
    memory.fact("ann", "lives_in", "Paris")
    for call in (
        lambda: memory.reader.procedures("ann", " "),
        lambda: memory.reader.resources("ann", ""),
        lambda: memory.reader.core("ann", limit=0),
        lambda: memory.reader.core("ann", as_of="soon"),
    ):
        with pytest.raises(ValueError, match=r"needed|limit|as_of"):
            call()


def test_another_models_procedures_are_not_compared(memory: Memory) -> None:
    memory.add("ann", "procedural", "bake bread")
    rows: list[IndexRow] = [replace(row, model="another/1") for row in memory.index.rows]
    memory.index.publish(rows)
    with pytest.raises(RuntimeError, match="another/1"):
        memory.reader.procedures("ann", "bake bread")
    assert np.isfinite(rows[0].vector).all()
