"""Which speakers of a history a question names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from hypermnesia.rules.name_nicknames import is_nickname

_WORD = re.compile(r"[^\W_]+")
#: What begins a clause that says when, with a name as its subject.
_DATING = re.compile(r"(?<=\w)\s+(?:since|after|before|until|while)\s+(?=[^\W\d_a-z]\w*\s+[a-z]\w+)")
_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b")
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
# English words that are also first names: a name only with a capital, and not as the first word.
_COMMON_WORDS = "will may mark rose grace hope joy art bill drew jack faith summer april june august"
_COMMON = frozenset(_COMMON_WORDS.split())
SHORTEST_BEGINNING = 3  # letters of a name by which people call its bearer ("Mel")


def asked_speakers(question: str, roles: Mapping[str, str]) -> frozenset[str]:
    """Speakers whose whole name, or a part of it that is theirs alone, stands in the question.

    Who only dates it ("who joined since Omar left?") is not asked about.
    Where none does, those of whom a name of the question is a nickname, a beginning ("Mel") or a slip ("Johns"),
    and of no one else.
    `roles` maps each speaker of the history to a role: "I" is the speaker with role `user`, "you" the
    one with role `assistant`.
    """
    plain = _DATING.split(question.replace("\u2019", "'"))[0]
    said = _WORD.findall(plain)
    spoken = {w.casefold() for i, w in enumerate(said) if w.casefold() not in _COMMON or (i and w[0].isupper())}
    parts = {speaker: [w.casefold() for w in _WORD.findall(speaker)] for speaker in roles}
    whole = {s for s, names in parts.items() if names and spoken.issuperset(names)}
    counts: dict[str, int] = {}
    for names in parts.values():
        for name in set(names):
            counts[name] = counts.get(name, 0) + 1
    own = {s for s, names in parts.items() if any(len(n) > 1 and n in spoken and counts[n] == 1 for n in names)}
    if not whole | own:
        own = _by_alias({w.casefold() for w in said if w[0].isupper()} & spoken, parts)
    persons = {role for form, role in ((_FIRST_PERSON, "user"), (_SECOND_PERSON, "assistant")) if form.search(plain)}
    return frozenset(whole | own | {s for s, role in roles.items() if role in persons})


def _by_alias(said: Collection[str], parts: Mapping[str, Sequence[str]]) -> set[str]:
    found: set[str] = set()
    for word in said:
        meant = {s for s, names in parts.items() if any(_may_stand_for(word, name) for name in names)}
        found |= meant if len(meant) == 1 else set()
    return found


def _may_stand_for(word: str, name: str) -> bool:
    is_beginning = len(word) >= SHORTEST_BEGINNING and name.startswith(word)
    return is_beginning or word == f"{name}s" or is_nickname(word, name)
