"""`show` of a secret: its row and where it was taken from, never its value nor its sealed bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from homes import make_app, run_stages

SECRET = "Tr0ub4dor&3"


def test_a_secret_is_shown_without_its_bytes(tmp_path: Path) -> None:
    said = {"user": "ann", "conversation": "c", "id": "1", "speaker": "Ann", "text": f"the wifi password is {SECRET}"}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(said) + "\n")
    app = make_app(tmp_path / "home")
    run_stages(app, [path])
    (row,) = app.lake.read("vault").to_pylist()
    shown = app.inspector().show(row["vault_id"])
    (secret,) = shown["rows"]
    assert shown["table"] == "vault" and "ciphertext" not in secret
    assert {name: secret[name] for name in ("vault_id", "kind", "placeholder", "message_id", "user_id")} == {
        name: row[name] for name in ("vault_id", "kind", "placeholder", "message_id", "user_id")
    }
    (message,) = shown["messages"]
    assert (message["message_id"], message["native_id"]) == (row["message_id"], "1")
    assert row["placeholder"] in message["text"]
    assert SECRET not in json.dumps(shown, default=str)  # and all of it can be printed


def test_a_secret_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="vlt_0"):
        make_app(tmp_path).inspector().show("vlt_0")
