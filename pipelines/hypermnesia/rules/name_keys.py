"""Which pairs of names are worth judging: names that share a key, or most of their letters (notes: names, section 5).

Keys find 93% of true pairs, keys or letters 95%; the bundled embedding model alone 54%. A key only proposes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from math import ceil

from hypermnesia.contracts.answers import MergedType
from hypermnesia.rules.name_nicknames import formal_names
from hypermnesia.rules.name_nouns import singular, without_article
from hypermnesia.rules.name_organizations import initials_of, organization_of
from hypermnesia.rules.name_person_parts import person_of
from hypermnesia.rules.name_places import place_of
from hypermnesia.rules.name_tokens import form_of, is_readable, without_marks
from hypermnesia.rules.name_transliteration import sound_of
from hypermnesia.rules.name_vocabulary import SPELLINGS

__all__ = ["DICE_PROPOSES", "dice", "is_readable", "name_keys", "proposed_pairs", "trigrams"]

DICE_PROPOSES = 0.6
_OWN_WORDS = "my our his her their your"
_OWN = frozenset(_OWN_WORDS.split())
_LONGEST_ACRONYM = 6


def name_keys(name: str, type: MergedType) -> frozenset[str]:
    """The keys of a name of this type; two names of one user and type that share one are a proposed pair."""
    words = form_of(name).words
    keys = {"joined:" + without_marks("".join(words)), "sorted:" + without_marks(" ".join(sorted(words)))}
    core = [SPELLINGS.get(w, w) for w in without_article(words) if w not in _OWN]
    if core:
        keys.add("singular:" + without_marks("".join(singular(w) for w in core)))
    keys |= _OF_TYPE[type](name) if type in _OF_TYPE else frozenset()
    return frozenset(key for key in keys if key.partition(":")[2].strip("|"))


def _person_keys(name: str) -> set[str]:
    person = person_of(name)
    given, family = without_marks(person.given), without_marks(person.family).replace(" ", "")
    keys: set[str] = set()
    if given:
        keys.add(f"given:{given}")
        keys |= {f"formal:{formal}" for formal in formal_names(given)}
    if family:
        keys.add(f"family:{family}")
        keys |= {f"family:{without_marks(part)}" for part in person.family.split()}
    for part in (family, *map(without_marks, person.middle)) if given and family else ():
        keys.add(f"family_first:{part}|{given[0]}")
        keys.add(f"given_first:{given}|{part[0]}")
    if given and not family:
        keys.add(f"family:{given}")
    if person.words:
        keys.add(
            "sound:" + "|".join(sound_of(w)[:4] for w in sorted((person.words[0], person.words[-1]), key=sound_of))
        )
    return keys


def _organization_keys(name: str) -> set[str]:
    organization = organization_of(name)
    core = organization.core
    keys = {"core:" + without_marks("".join(w for w in core if w != "and"))}
    if len(core) > 1:
        keys |= {"initials:" + initials_of(core), "initials:" + "".join(w[0] for w in core)}
    elif core and len(core[0]) <= _LONGEST_ACRONYM:
        keys.add("initials:" + core[0])
    return keys


def _place_keys(name: str) -> set[str]:
    head = place_of(name).head
    return {"head:" + without_marks("".join(head)), "head:" + without_marks("".join(w for w in head if w != "the"))}


_OF_TYPE = {"person": _person_keys, "organization": _organization_keys, "location": _place_keys}


@lru_cache(maxsize=65536)
def trigrams(name: str) -> frozenset[str]:
    """The 3-grams of a name's words, with their edges."""
    text = f"  {without_marks(' '.join(form_of(name).words))} "
    return frozenset(text[i : i + 3] for i in range(len(text) - 2))


def dice(a: str, b: str) -> float:
    """Dice's coefficient of two names' 3-grams, 0 to 1; from `DICE_PROPOSES` on the pair is worth judging."""
    left, right = trigrams(a), trigrams(b)
    return 2 * len(left & right) / (len(left) + len(right))


def proposed_pairs(names: Mapping[str, tuple[str, MergedType]]) -> set[tuple[str, str]]:
    """Pairs of ids (smaller first) of one type that share a key or most of their letters.

    `names` maps an anchor's id to its name and type; all are one user's.
    """
    by_key: dict[tuple[str, str], list[str]] = {}
    for anchor_id, (name, type_) in names.items():
        for key in name_keys(name, type_):
            by_key.setdefault((type_, key), []).append(anchor_id)
    pairs = {pair for ids in by_key.values() for pair in combinations(sorted(ids), 2)}
    return pairs | _alike(names)


def _alike(names: Mapping[str, tuple[str, MergedType]]) -> set[tuple[str, str]]:
    """Pairs from `DICE_PROPOSES` on, exactly, without comparing all.

    Two such names share at least j = D / (2 - D) of the longer one's 3-grams, so that they meet in the rarest
    n - ceil(j n) + 1 of either's n: only these are indexed (prefix filtering; Chaudhuri et al. 2006).
    """
    frequency = Counter(gram for name, _ in names.values() for gram in trigrams(name))
    share = DICE_PROPOSES / (2 - DICE_PROPOSES)
    seen: dict[tuple[str, str], list[str]] = {}
    pairs: set[tuple[str, str]] = set()
    for anchor_id in sorted(names):
        name, type_ = names[anchor_id]
        grams = sorted(trigrams(name), key=lambda gram: (frequency[gram], gram))
        rarest = grams[: len(grams) - ceil(share * len(grams) - 1e-9) + 1]
        met = {other for gram in rarest for other in seen.get((type_, gram), ())}
        pairs |= {(other, anchor_id) for other in met if dice(names[other][0], name) >= DICE_PROPOSES}
        for gram in rarest:
            seen.setdefault((type_, gram), []).append(anchor_id)
    return pairs
