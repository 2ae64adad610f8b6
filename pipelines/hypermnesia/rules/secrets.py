"""Secrets in a text: where they stand, of what kind, and the text without them (DESIGN 3 "vault").

Pure rules: what libraries know beside them is joined in `adapters/secret_detectors.py`. People's names,
addresses, e-mail addresses and phone numbers are memory, never secrets.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hypermnesia.rules.secret_codes import find_codes, find_numbers, find_pins
from hypermnesia.rules.secret_cues import find_passwords, find_spoken_passwords
from hypermnesia.rules.secret_keys import Found, find_keys
from hypermnesia.rules.secret_phrases import (
    find_named_keys,
    find_recovery_codes,
    find_recovery_phrases,
    find_security_answers,
)

VERSION = "secrets-1"

Finder = Callable[[str], Iterable[Found]]

#: What a finder needs to see, lower-case, before it is asked: most texts are asked by none.
_CUES: tuple[tuple[tuple[str, ...], tuple[Finder, ...]], ...] = (
    (
        (
            "pass",
            "pw",
            "mdp",
            "kennw",
            "clave",
            "contrase",
            "clé",
            "schlüssel",
            "key",
            "log",
            "sign",
            "sql",
            "wifi",
            "wi-fi",
            "credential",
            "creds",
            "u:",
            "user:",
            "usr",
            "zugang",
            "benutzer",
            "usuario",
            "identifiant",
            "account",
        ),
        (find_passwords, find_spoken_passwords),
    ),
    (("pin", "passcode", "geheimzahl", "lock", "puk", "entsperr"), (find_pins,)),
    (
        (
            "code",
            "código",
            "codigo",
            "comb",
            "kombi",
            "otp",
            "tan",
            "one-time",
            "one time",
            "einmal",
            "punch",
            "type",
            "press",
            "enter",
            "keypad",
            "lock",
            "dial",
            "pulsa",
            "tape",
            "use",
            "marca",
            "hit",
            "tippe",
        ),
        (find_codes,),
    ),
    (
        (
            "cv",
            "security code",
            "prüf",
            "cryptogramme",
            "sicherheitscode",
            "seguridad",
            "sécurité",
            "account",
            "acct",
            "konto",
            "cuenta",
            "compte",
            "card",
            "a/c",
            "acc",
            "-",
            "ssn",
            "social",
            "pass",
            "pasaporte",
        ),
        (find_numbers,),
    ),
    (("phrase", "frase", "seed", "mnemonic", "words", "wörter", "palabras"), (find_recovery_phrases,)),
    (
        (
            "recovery",
            "backup",
            "back-up",
            "emergency",
            "rescue",
            "scratch",
            "wiederherst",
            "notfall",
            "secours",
            "respaldo",
            "récup",
            "recuper",
        ),
        (find_recovery_codes,),
    ),
    (("answer", "antwort", "respuesta", "réponse"), (find_security_answers,)),
    (("key", "token", "secret", "pat", "session", "clave", "clé", "schlüssel"), (find_named_keys,)),
)
_DIGIT_CUES = (find_pins, find_codes, find_numbers, find_named_keys, find_recovery_codes)

#: Where finders overlap, the kind of the first of these that is among them.
_RANK = (
    "private key",
    "iban",
    "card number",
    "recovery phrase",
    "recovery code",
    "social security number",
    "token",
    "api key",
    "card code",
    "access code",
    "pin",
    "one-time code",
    "bank account",
    "passport number",
    "wifi password",
    "password",
    "security answer",
)

#: Stands for what was found already; no rule takes it for a part of a value.
MASK = "\ue000"
_PLACEHOLDER = re.compile(r"\[secret: [a-z -]+ \d+\]")
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret of a text: its kind and where its value stands."""

    kind: str
    start: int
    end: int


def find_by_rules(text: str) -> Iterable[Found]:
    """What our own rules find, perhaps overlapping."""
    yield from find_keys(text)
    lowered = text.lower()
    has_digit = _DIGITS.search(text) is not None
    for stems, finders in _CUES:
        if any(stem in lowered for stem in stems):
            for finder in finders:
                if has_digit or finder not in _DIGIT_CUES:
                    yield from finder(text)


def find_secrets(text: str, finders: Sequence[Finder] = (find_by_rules,)) -> list[Secret]:
    """The secrets of a text in order, none overlapping another.

    Placeholders are no secrets. The text without its secrets has none: what is found is hidden and the
    rest asked again until nothing more is found.
    """
    view = _View(text, [m.span() for m in _PLACEHOLDER.finditer(text)])
    secrets: list[Secret] = []
    while found := _joined(view, finders):
        secrets += found
        view = _View(text, [*((s.start, s.end) for s in secrets), *(m.span() for m in _PLACEHOLDER.finditer(text))])
    return sorted(secrets, key=lambda secret: secret.start)


def redact(
    text: str, secrets: Sequence[Secret], used: dict[str, int] | None = None
) -> tuple[str, list[tuple[Secret, int]]]:
    """The text with a placeholder for each secret, and each secret with its ordinal among those of its kind.

    `used` counts the kinds of texts that belong together (a message and its attributes).
    """
    counts = used if used is not None else {}
    pieces, at, numbered = [], 0, []
    for secret in secrets:
        counts[secret.kind] = counts.get(secret.kind, 0) + 1
        numbered.append((secret, counts[secret.kind]))
        pieces += [text[at : secret.start], placeholder(secret.kind, counts[secret.kind])]
        at = secret.end
    return "".join([*pieces, text[at:]]), numbered


def placeholder(kind: str, ordinal: int) -> str:
    """What stands in the text for a secret."""
    return f"[secret: {kind} {ordinal}]"


class _View:
    """A text in which each hidden span is one `MASK`, and the way back to the text's own positions."""

    def __init__(self, text: str, hidden: Sequence[tuple[int, int]]) -> None:
        pieces, at, place = [], 0, 0
        self._starts: list[tuple[int, int]] = [(0, 0)]
        for start, end in sorted(hidden):
            if start < at:
                continue
            pieces += [text[at:start], MASK]
            place += start - at + 1
            at = end
            self._starts.append((place, at))
        self.text = "".join([*pieces, text[at:]]) if hidden else text

    def back(self, position: int) -> int:
        """A position of the view in the text."""
        place, at = self._starts[bisect_right(self._starts, position, key=lambda pair: pair[0]) - 1]
        return at + position - place


def _joined(view: _View, finders: Sequence[Finder]) -> list[Secret]:
    """What the finders find in a view: overlapping values are one, what is hidden is left out."""
    spans = sorted(
        (*span, kind)
        for finder in finders
        for kind, start, end in finder(view.text)
        for span in _unmasked(view.text, start, end)
    )
    joined: list[tuple[int, int, str]] = []
    for start, end, kind in spans:
        if joined and start < joined[-1][1]:
            before = joined[-1]
            joined[-1] = (before[0], max(end, before[1]), min(before[2], kind, key=_rank))
        else:
            joined.append((start, end, kind))
    return [Secret(kind, view.back(start), view.back(end - 1) + 1) for start, end, kind in joined]


def _unmasked(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    if MASK not in text[start:end]:
        return [(start, end)] if end > start else []
    return [m.span() for m in re.compile(f"[^{MASK}]+").finditer(text, start, end) if len(m.group().strip()) > 2]


def _rank(kind: str) -> int:
    return _RANK.index(kind) if kind in _RANK else len(_RANK)
