"""Names of organisations: legal forms come off first (notes: names, section 2, rules 6 and 9)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hypermnesia.rules.name_nouns import blocked, is_single_name, without_article
from hypermnesia.rules.name_tokens import Form, form_of, is_cjk, is_near, near_form
from hypermnesia.rules.name_verdicts import Verdict, different, same, unsure

Words = tuple[str, ...]

# Words at the end of a name, and the form that they mean. "company" conflicts with nothing.
_LEGAL: dict[Words, str] = {
    tuple(words.split()): form
    for form, written in {
        "inc": "inc|incorporated",
        "corp": "corp|corporation",
        "ltd": "ltd|limited|co ltd|company limited|company ltd",
        "pty ltd": "pty ltd|pty limited|proprietary limited",
        "pte ltd": "pte ltd|pte limited",
        "pvt ltd": "pvt ltd|private limited",
        "llc": "llc|l l c",
        "llp": "llp",
        "lp": "lp",
        "plc": "plc|public limited company",
        "company": "co|company",
        "gmbh": "gmbh|ges mbh|gesmbh",
        "gmbh co kg": "gmbh and co kg|gmbh co kg",
        "ag": "ag|aktiengesellschaft",
        "kg": "kg|and co kg",
        "ohg": "ohg",
        "ug": "ug",
        "ev": "ev",
        "sa": "sa",
        "sas": "sas",
        "sarl": "sarl",
        "srl": "srl",
        "spa": "spa",
        "sl": "sl",
        "slu": "slu",
        "bv": "bv",
        "nv": "nv",
        "ab": "ab",
        "as": "as|a s",
        "asa": "asa",
        "aps": "aps",
        "oy": "oy",
        "oyj": "oyj",
        "se": "se",
        "kk": "kk|kabushiki kaisha",
        "ltda": "ltda",
        "sa de cv": "sa de cv",
        "sp zoo": "sp z oo|sp zoo",
        "doo": "doo",
        "sro": "sro",
        "kft": "kft",
        "zrt": "zrt",
        "eood": "eood",
        "ood": "ood",
        "bhd": "bhd|sdn bhd",
    }.items()
    for words in written.split("|")
}
_LONGEST = max(map(len, _LEGAL))
_ABBREVIATIONS = {
    "univ": "university",
    "dept": "department",
    "inst": "institute",
    "natl": "national",
    "intl": "international",
    "assn": "association",
    "assoc": "association",
    "bros": "brothers",
    "govt": "government",
    "hosp": "hospital",
    "mfg": "manufacturing",
    "fdn": "foundation",
    "mgmt": "management",
    "svcs": "services",
    "svc": "service",
    "ctr": "center",
}
_SMALL = "of the and for in on at de la du der die das von und et y e"
_SMALL_WORDS = frozenset(_SMALL.split())


class Organization(NamedTuple):
    """An organisation's name in parts."""

    form: Form  # words without article, legal form and "& Co"
    core: Words  # the same without article
    legal: str
    has_partners: bool  # "& Co" was there
    has_article: bool


@lru_cache(maxsize=65536)
def organization_of(name: str) -> Organization:
    """The parts of an organisation's name; a name that is a legal form and nothing else keeps it."""
    form = form_of(name)
    words, legal, has_partners = form.words, "", False
    while found := _legal_end(words):
        words, legal = words[:-found], legal or _LEGAL[words[-found:]]
        if words[-1] == "and":
            words, has_partners = words[:-1], True
            legal = "" if legal == "company" else legal
    core = without_article(words)
    return Organization(form._replace(words=words), core, legal, has_partners, core != words)


def _legal_end(words: Words) -> int:
    for n in range(min(_LONGEST, len(words) - 1), 0, -1):
        if words[-n:] in _LEGAL and words[:-n] not in (("and",), ("the",)):
            return n
    return 0


def judge_organizations(name_a: str, name_b: str) -> Verdict:
    """Two names of organisations."""
    a, b = organization_of(name_a), organization_of(name_b)
    return (
        blocked(a.form._replace(words=a.core), b.form._replace(words=b.core))
        or _legal_conflict(a, b)
        or _accepted(a, b)
        or _left_unsure(a, b)
    )


def _legal_conflict(a: Organization, b: Organization) -> Verdict | None:
    if a.core != b.core or a.legal == b.legal or not a.legal or not b.legal:
        return None
    return unsure("legal_form_company") if "company" in (a.legal, b.legal) else different("org:legal_conflict")


def _accepted(a: Organization, b: Organization) -> Verdict | None:
    if a.core != b.core:
        if is_cjk(a.form.key) and "".join(a.core) == "".join(b.core):
            return same("joined_cjk")
        if (a.has_partners or b.has_partners) and _without_and(a.core) == _without_and(b.core):
            return same("org:legal_suffix")
        full_a, full_b = (tuple(_ABBREVIATIONS.get(w, w) for w in org.core) for org in (a, b))
        return same("org:abbrev") if full_a == full_b else None
    if a.has_article != b.has_article:
        is_single = any(is_single_name(org.form, org.core) for org in (a, b)) or len(a.core) == 1
        return unsure("article_single") if is_single else same("org:article")
    if a.legal == b.legal and a.has_partners == b.has_partners:
        return same("punct")
    return same("org:legal_suffix" if len(a.core) > 1 else "org:legal_suffix_single")


def _without_and(words: Words) -> Words:
    return tuple(w for w in words if w != "and")


def initials_of(core: Words) -> str:
    """The first letters of the words that count: what an acronym is made of."""
    return "".join(w[0] for w in core if w not in _SMALL_WORDS)


def _left_unsure(a: Organization, b: Organization) -> Verdict:
    short, long = sorted((a.core, b.core), key=len)
    if len(short) == 1 and len(long) > 1 and short[0] in (initials_of(long), "".join(w[0] for w in long)):
        return unsure("short:acronym")
    if form := near_form(a.core, b.core):
        return unsure(form)
    if is_near("".join(a.core), "".join(b.core)):
        return unsure("near:typo")
    return unsure("more_words" if set(short) < set(long) else "words_differ")
