"""Names of objects and concepts: what makes them one (notes: names, section 2, rules 8, 9 and 12)."""

from __future__ import annotations

from functools import lru_cache

from hypermnesia.rules import name_blockers
from hypermnesia.rules.name_tokens import Form, form_of, is_cjk, is_near, near_form
from hypermnesia.rules.name_verdicts import Verdict, same, unsure
from hypermnesia.rules.name_vocabulary import NOT_PLURAL, SPELLINGS

Words = tuple[str, ...]

_ARTICLES = frozenset(("the", "a", "an"))
_OWN_WORDS = "my our his her their your"
_OWN = frozenset(_OWN_WORDS.split())
_IRREGULAR = {"knives": "knife", "wives": "wife", "lives": "life", "leaves": "leaf", "shelves": "shelf"}
_IRREGULAR |= {"loaves": "loaf", "wolves": "wolf", "halves": "half", "children": "child", "women": "woman"}
_IRREGULAR |= {"men": "man", "feet": "foot", "teeth": "tooth", "mice": "mouse", "geese": "goose"}


def judge_nouns(name_a: str, name_b: str) -> Verdict:
    """Two names of objects or of concepts."""
    a, b = form_of(name_a), form_of(name_b)
    return blocked(a, b) or _accepted(a, b) or _left_unsure(a, b)


def blocked(a: Form, b: Form) -> Verdict | None:
    """The blockers of every name that is not a person's."""
    return (
        name_blockers.symbols_differ(a.words, b.words)
        or name_blockers.numbers_differ(a.words, b.words)
        or name_blockers.calendar_differs(a.words, b.words)
        or name_blockers.variant_differs(a.words, b.words)
        or name_blockers.one_word_differs(a.words, b.words)
        or name_blockers.owner_differs(a.body, b.body)
        or name_blockers.qualifier_differs(a, b)
    )


def _accepted(a: Form, b: Form) -> Verdict | None:
    if a.words == b.words:
        return same("punct")
    if is_cjk(a.key) and "".join(a.words) == "".join(b.words):
        return same("joined_cjk")
    core_a, core_b = without_article(a.words), without_article(b.words)
    if core_a == core_b:
        return unsure("article_single") if is_single_name(a, core_a) or is_single_name(b, core_b) else same("article")
    if tuple(map(_american, core_a)) == tuple(map(_american, core_b)):
        return same("spelling")
    if len(core_a) == len(core_b) >= 2 and core_a[:-1] == core_b[:-1] and one_is_plural(core_a[-1], core_b[-1]):
        is_title = any(form.raw.split()[-1][:1].isupper() for form in (a, b))
        return unsure("plural_title") if is_title else same("plural")
    return None


def without_article(words: Words) -> Words:
    """The words without a leading the, a or an."""
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


def is_single_name(form: Form, core: Words) -> bool:
    """Whether the name is one capitalised word but for its article: The Who and WHO are two."""
    return len(core) == 1 and form.raw.split()[-1][:1].isupper()


def _american(word: str) -> str:
    found = SPELLINGS.get(word)
    if found is None and word.endswith("s"):
        found = SPELLINGS.get(word[:-1])
        return word if found is None else found + "s"
    return word if found is None else found


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of a regular English plural; the word where it is none or where its plural is another thing."""
    if word in NOT_PLURAL or len(word) < 4:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes", "oes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def one_is_plural(a: str, b: str) -> bool:
    """Whether one word is the other's regular plural."""
    return a != b and (singular(a) == b or singular(b) == a)


def _left_unsure(a: Form, b: Form) -> Verdict:
    if set(a.words) - set(b.words) <= _OWN and set(b.words) - set(a.words) <= _OWN and len(a.words) != len(b.words):
        return unsure("short:owner")
    if form := near_form(a.words, b.words):
        return unsure(form)
    if len(a.words) == len(b.words) == 1 and one_is_plural(a.words[0], b.words[0]):
        return unsure("plural_single")
    if is_near("".join(a.words), "".join(b.words)):
        return unsure("near:typo")
    if set(a.words) < set(b.words) or set(b.words) < set(a.words):
        return unsure("more_words")
    return unsure("words_differ")
