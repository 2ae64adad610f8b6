"""What a clause says in numbers, clock times, dates and titles: attributes of its frame, never things."""

from __future__ import annotations

from itertools import groupby

from hypermnesia.rules.linguistic.clauses import own_tokens
from hypermnesia.rules.linguistic.nominals import NominalReader
from hypermnesia.rules.linguistic.parse import Sentence, Token

_CURRENCIES = ("$", "€", "£")
_KEYS = {"MONEY": "amount", "PERCENT": "amount", "QUANTITY": "amount", "TIME": "time", "DATE": "date"}


def figures_of(sentence: Sentence, verb: Token, reader: NominalReader) -> list[tuple[str, str]]:
    """(key, words) of a clause's amounts, counts ("two dogs"), clock times, dates and quoted titles."""
    tokens = sorted(own_tokens(sentence, verb), key=lambda t: t.index)
    found: list[tuple[str, str]] = []
    for span, group in groupby((t for t in tokens if t.entity), key=lambda t: t.span):
        entity = [t for t in sentence.tokens if t.span == span] if span >= 0 else list(group)
        key = _KEYS.get(entity[0].entity)
        if key:
            start = entity[0].start
            start -= reader.text[max(0, start - 1) : start] in _CURRENCIES
            found.append((key, reader.text[start : entity[-1].end]))
    counted = [t for t in tokens if t.entity == "CARDINAL" and t.dep == "nummod"]
    found += [("count", f"{t.text} {sentence.head(t).text}") for t in counted]
    for start, end in reader.titles:
        if any(start <= t.start < end for t in tokens):
            found.append(("title", reader.text[start:end]))
    return list(dict.fromkeys(found))
