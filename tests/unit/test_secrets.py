"""Secrets are found where they stand, ordinary talk stays as it is, and what is taken out is gone."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.adapters.secret_detectors import JoinedSecretDetector
from hypermnesia.rules.secret_keys import is_iban, is_luhn
from hypermnesia.rules.secrets import MASK, find_secrets, placeholder, redact

LINES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "fixtures" / "secrets.jsonl").read_text(encoding="utf-8").splitlines()
]
TEXTS = st.sampled_from([line["text"] for line in LINES])
PIECES = st.sampled_from(
    [*"ab01 :=-.,@/#'\"\n", MASK, "password ", "pin ", "door code ", "is ", "4471", "hunter2", "key: "]
)


def redacted(text: str) -> str:
    return redact(text, find_secrets(text))[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my key is sk-test-0000EXAMPLE0000", "my key is [secret: api key 1]"),
        ("https://bob:hunter2@db.example/x", "https://bob:[secret: password 1]@db.example/x"),
        ("-----BEGIN PRIVATE KEY-----", "[secret: private key 1]"),
    ],
)
def test_i04_secrets_become_typed_placeholders(text: str, expected: str) -> None:
    assert redacted(text) == expected
    assert (
        redacted(f"Hi Bo, {text} - keep it safe, see you at 4.") == f"Hi Bo, {expected} - keep it safe, see you at 4."
    )


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "order 112-8837465-2291847 ships on 2024-05-14, tracking 1Z999AA10123456784",
        "flight LH1234, gate B42, seat 23C, room 1204, $1,299.99",
        "uuid 550e8400-e29b-41d4-a716-446655440000",
        "anna.schmidt@example.com, +1 415 555 0132, 44 Elm Street",
        "IMEI 490154203237518",
    ],
)
def test_i04_ordinary_ids_stay(text: str) -> None:
    assert find_secrets(text) == []
    assert JoinedSecretDetector().find([text]) == [[]]


def test_each_secret_of_a_kind_has_its_number() -> None:
    text = "door code is 4471, gate code is 5512 and my pin is 9081"
    taken, numbered = redact(text, find_secrets(text))
    assert (
        taken
        == "door code is [secret: access code 1], gate code is [secret: access code 2] and my pin is [secret: pin 1]"
    )
    assert [(secret.kind, ordinal) for secret, ordinal in numbered] == [
        ("access code", 1),
        ("access code", 2),
        ("pin", 1),
    ]
    assert [text[secret.start : secret.end] for secret, _ in numbered] == ["4471", "5512", "9081"]


def test_numbers_run_on_over_texts_that_belong_together() -> None:
    used: dict[str, int] = {}
    texts = ["my pin is 4471", "my pin is 5512"]
    assert [redact(t, find_secrets(t), used)[0] for t in texts] == [
        "my pin is [secret: pin 1]",
        "my pin is [secret: pin 2]",
    ]


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from([" ", "\n", ". ", ", "]))
def test_what_is_found_never_overlaps_and_is_found_once(texts: list[str], between: str) -> None:
    text = between.join(texts)
    found = find_secrets(text)
    assert all(0 <= s.start < s.end <= len(text) for s in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert find_secrets(redact(text, found)[0]) == []


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_text_is_redacted_to_a_text_without_secrets(text: str) -> None:
    found = find_secrets(text)
    assert all(a.end <= b.start for a, b in pairwise(found))
    taken = redact(text, found)[0]
    assert find_secrets(taken) == []
    assert found or taken == text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_a_text_without_secrets_is_unchanged(text: str) -> None:
    assert redact(text, [])[0] == text
    assert redact(placeholder("pin", 3), find_secrets(placeholder("pin", 3)))[0] == placeholder("pin", 3)


def test_check_digits() -> None:
    assert is_luhn("4242424242424242") and not is_luhn("4242424242424241") and not is_luhn("0000000000000000")
    assert is_iban("DE89 3704 0044 0532 0130 00") and not is_iban("DE89 3704 0044 0532 0130 01")
    assert not is_iban("DE89") and not is_iban("DE89 ???? 0044 0532 0130 00")


@pytest.mark.parametrize(
    "text",
    [
        "password " * 20_000,
        "my password is the password for the " * 5_000,
        "1 " * 100_000,
        "4242-" * 40_000,
        "a" * 200_000,
        "code for " * 25_000 + "1",
        "seed phrase: " + "word " * 40_000,
        "-----BEGIN PRIVATE KEY-----\n" * 5_000,
        "http://a:" * 20_000,
        "login a and " * 15_000 + "1",
        "DE00 " * 40_000,
        "token key 1" * 20_000,
    ],
)
def test_a_long_text_takes_time_in_proportion(text: str) -> None:
    started = time.process_time()
    find_secrets(text)
    assert time.process_time() - started < 5
