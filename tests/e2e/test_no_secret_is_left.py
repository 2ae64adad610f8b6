"""Secrets stop at the door: in no file of the home, in nothing printed, and read back only with permission."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from hypermnesia.cli import main

LINES = Path(__file__).parents[1] / "fixtures" / "secrets.jsonl"
ENV = {
    "HYPERMNESIA_LAKE_KEY": "a key for tests, of 16 bytes or more",
    "HYPERMNESIA_EXECUTOR": "inline",
    "HYPERMNESIA_VAULT_READ": "0",
}
#: A shorter value turns up by chance in a file of random bytes.
LEAST_BYTES = 6


def run(home: Path, *arguments: str, **settings: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--home", str(home)], env=ENV | settings)


def told(home: Path, *arguments: str, **settings: str) -> Any:
    result = run(home, *arguments, "--json", **settings)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


class Built:
    """A home made of an archive in which every kind of secret stands, and in every place where one may."""

    def __init__(self, root: Path) -> None:
        self.home, self.archive = root / "home", root / "in" / "chat.jsonl"
        lines = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
        self.held = [line for line in lines if line["split"] == "dev" and line["secrets"]]
        self.values = {value for line in self.held for _, value in line["secrets"]}
        rows: list[Any] = [self._row(n, line["text"]) for n, line in enumerate(self.held)]
        rows[0] |= {"title": "my wifi password is TitleSecret77", "speaker": "Ann (pin: 771133)"}
        rows[1] |= {"attachments": [{"type": "note", "name": "password: NameSecret88", "text": "pw: AttachedSecret99"}]}
        rows.append(self._row(900, "hello") | {"time": "password: TimeSecret66"})
        self.values |= {"TitleSecret77", "771133", "NameSecret88", "AttachedSecret99", "TimeSecret66", "BrokenSecret55"}
        self.archive.parent.mkdir(parents=True)
        text = "".join(json.dumps(row) + "\n" for row in rows) + '{"text": "password: BrokenSecret55", \n'
        self.archive.write_text(text, encoding="utf-8")
        self.result = run(self.home, "backfill", str(self.archive), "--json", HYPERMNESIA_REJECT_BUDGET="1")
        assert self.result.exit_code == 0, self.result.stderr
        self.stages = json.loads(self.result.stdout)["stages"]

    def _row(self, number: int, text: str) -> dict[str, Any]:
        time = f"2024-05-01T09:{number // 60 % 60:02}:{number % 60:02}Z"
        return {"user": "ann", "conversation": "c", "id": f"m{number}", "speaker": "Ann", "time": time, "text": text}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("vault"))


def contents(home: Path) -> Iterator[tuple[str, bytes]]:
    """Every file's bytes; Parquet and SQLite read back as text too, since both may compress or split."""
    for path in sorted(p for p in home.rglob("*") if p.is_file()):
        name, data = str(path.relative_to(home)), path.read_bytes()
        yield name, data
        if path.suffix == ".parquet":
            table = pq.ParquetFile(path).read()
            kept = [column for column in table.column_names if column not in ("ciphertext", "vector")]
            yield f"{name} (rows)", json.dumps(table.select(kept).to_pylist(), default=str, ensure_ascii=False).encode()
        elif data.startswith(b"SQLite format 3\0"):
            with sqlite3.connect(path) as connection:
                yield f"{name} (dump)", "\n".join(connection.iterdump()).encode()


def is_by_chance(form: bytes) -> bool:
    """Whether a value turns up in random bytes, in hashes and in numbers: then only as a word of its own in text."""
    return len(form) < LEAST_BYTES or re.fullmatch(rb"[0-9 -]{,11}", form) is not None


def escaped(value: str) -> set[bytes]:
    """A value as bytes, as it is and as JSON writes it, whole and by its lines."""
    parts = {value, *(line for line in value.splitlines() if len(line) >= 16 and "PRIVATE KEY" not in line)}
    both = {
        form for part in parts for form in (part, json.dumps(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1])
    }
    return {form.encode() for form in both}


def test_no_secret_is_in_any_file_nor_in_what_was_printed(built: Built) -> None:
    printed = [("stdout", built.result.stdout.encode()), ("stderr", built.result.stderr.encode())]
    printed += [
        (c, run(built.home, *c.split(), "--json").output.encode()) for c in ("status", "rejects", "vault list ann")
    ]
    places = [*contents(built.home), *printed]
    assert len(places) > 20
    rows = [place for place in places if place[0].endswith(("(rows)", "(dump)", "json")) or place in printed]
    found = []
    for form in {form for value in built.values for form in escaped(value)}:
        if len(form) < 4:  # as short as a line's number: the next test but one looks for these
            continue
        if is_by_chance(form):
            pattern = re.compile(rb"(?<![0-9a-zA-Z._-])" + re.escape(form) + rb"(?![0-9a-zA-Z_-])")
            found += [(form, name) for name, data in rows if pattern.search(data)]
        else:
            found += [(form, name) for name, data in places if form in data]
    assert not found
    assert any(b"[secret: " in data for _, data in rows), "the search sees what was written"


def test_a_secret_in_the_clear_would_be_seen(built: Built, tmp_path: Path) -> None:
    """The search itself is tested: an ordinary word of the archive is found in Parquet that is read back."""
    assert any(b"let yourself in" in data for name, data in contents(built.home) if name.endswith("(rows)"))


def test_each_message_lost_its_own_secrets(built: Built) -> None:
    from hypermnesia.adapters.delta import DeltaLake

    lake = DeltaLake(built.home / "lake")
    texts = {row["native_id"]: row["text"] for row in lake.read("messages").to_pylist() if not row["part"]}
    records = " | ".join(text or "" for text in lake.read("records")["text"].to_pylist())
    for number, line in enumerate(built.held):
        for _, value in line["secrets"]:
            assert value not in texts[f"m{number}"]
    assert "[secret: access code 1]" in records


def test_what_was_taken_out_is_counted_by_kind(built: Built) -> None:
    reasons = {r["reason"]: r["n"] for r in built.stages["ingest"]["reasons"]}
    kinds = {kind for line in built.held for kind, _ in line["secrets"]}
    assert {f"secret: {kind}" for kind in kinds} <= set(reasons)
    ingest = built.stages["ingest"]
    assert ingest["n_in"] == ingest["n_out"] + ingest["n_rejected"] and ingest["n_rejected"] == 2
    assert "no warning" not in built.result.stderr and "could not" not in built.result.stderr


def test_ask_shows_the_placeholder(built: Built) -> None:
    rows = told(built.home, "ask", "ann", "What is the gym locker combo?")["rows"]
    assert any("gym locker combo is [secret: access code 1]" in row["text"] for row in rows)


def test_a_secret_is_read_with_permission_and_a_reason_and_each_attempt_is_logged(built: Built) -> None:
    listed = told(built.home, "vault", "list", "ann")
    assert all(set(row) == {"vault_id", "kind", "placeholder", "message_id", "content_hash"} for row in listed)
    (wanted,) = [row for row in listed if row["kind"] == "access code" and _text(built, row).startswith("gym locker")]
    asked = ["vault", "get", wanted["vault_id"], "--user", "ann", "--reason"]
    refused = run(built.home, *asked, "to open it")
    assert refused.exit_code == 1 and "HYPERMNESIA_VAULT_READ=1" in refused.stderr and not refused.stdout
    allowed = {"HYPERMNESIA_VAULT_READ": "1"}
    assert run(built.home, *asked, "to open it", **allowed).stdout == "22-8-31\n"
    assert told(built.home, *asked, "to open it", **allowed)["value"] == "22-8-31"
    assert run(built.home, *asked, " ", **allowed).exit_code == 1
    assert run(built.home, *asked[:-1], **allowed).exit_code == 2
    assert (
        run(built.home, "vault", "get", wanted["vault_id"], "--user", "ben", "--reason", "x", **allowed).exit_code == 1
    )
    lines = [json.loads(line) for line in (built.home / "vault_audit.jsonl").read_text().splitlines()]
    assert [line["granted"] for line in lines] == [False, True, True, False, False]
    assert {line["vault_id"] for line in lines} == {wanted["vault_id"]} and lines[0]["reason"] == "to open it"
    assert all(line["who"] and line["at"] for line in lines)
    assert "22-8-31" not in (built.home / "vault_audit.jsonl").read_text()


def _text(built: Built, row: dict[str, str]) -> str:
    shown = told(built.home, "show", row["message_id"]) if row["message_id"].startswith("msg") else None
    return shown["rows"][0]["text"] if shown else ""


def test_the_same_again_and_a_fresh_home_agree(built: Built, tmp_path: Path) -> None:
    """Ciphertext is random and in no digest; the same message in another archive has the same vault ids."""
    before = told(built.home, "digest")
    listed = told(built.home, "vault", "list", "ann")
    copy = tmp_path / "copy.jsonl"
    copy.write_text("\n" + built.archive.read_text(encoding="utf-8"), encoding="utf-8")
    run(built.home, "backfill", str(copy), HYPERMNESIA_REJECT_BUDGET="1")
    assert told(built.home, "vault", "list", "ann") == listed
    fresh = tmp_path / "fresh"
    run(fresh, "backfill", str(built.archive), HYPERMNESIA_REJECT_BUDGET="1")
    assert told(fresh, "digest")["tables"]["vault"] == before["tables"]["vault"]
    assert told(fresh, "digest")["lake"] == before["lake"]
