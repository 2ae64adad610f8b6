"""Names of people (notes: names, section 2, rules 4 and 10). A bare first name is never the same as a full name."""

from __future__ import annotations

from hypermnesia.rules.name_blockers import owners_differ, qualifier_differs
from hypermnesia.rules.name_nicknames import forms_of, is_nickname, shares_nickname
from hypermnesia.rules.name_person_parts import EXCLUSIVE, Person, person_of, plain
from hypermnesia.rules.name_tokens import form_of, is_cjk, is_near, same_without_marks
from hypermnesia.rules.name_transliteration import in_latin, is_mixed_pair, sound_of
from hypermnesia.rules.name_verdicts import Verdict, different, same, unsure


def judge_persons(name_a: str, name_b: str) -> Verdict:
    """Two names of people."""
    a, b = person_of(name_a), person_of(name_b)
    if a.relation or b.relation:
        return _relations(a, b)
    if not (a.maiden or b.maiden) and (verdict := qualifier_differs(form_of(name_a), form_of(name_b))):
        return verdict
    if is_cjk(a.key) or is_cjk(b.key):
        return same("joined_cjk") if "".join(a.words) == "".join(b.words) else unsure("script")
    if is_mixed_pair(a.key, b.key):
        return _transliterated(a, b)
    return _blocked(a, b) or _accepted(a, b) or _left_unsure(a, b)


def _relations(a: Person, b: Person) -> Verdict:
    """Anna's mother is not Anna, not Tom's mother, not Anna's father; otherwise strings cannot tell."""
    if a.relation is None or b.relation is None:
        owner, _ = a.relation or b.relation or ("", "")
        other = b if a.relation else a
        return different("person:possessive") if set(owner.split()) & set(other.words) else unsure("relation")
    (owner_a, kin_a), (owner_b, kin_b) = a.relation, b.relation
    if owner_a != owner_b:
        if kin_a == kin_b and owners_differ(owner_a, owner_b):
            return different("person:owner")
        return unsure("relation")
    known = kin_a in EXCLUSIVE and kin_b in EXCLUSIVE
    if known and EXCLUSIVE[kin_a] != EXCLUSIVE[kin_b]:
        return different("person:relation")
    return unsure("relation")


def _transliterated(a: Person, b: Person) -> Verdict:
    """Full names that are letter by letter, or sound by sound, one name in two alphabets."""
    if not (a.is_full and b.is_full) or a.generation != b.generation or len(a.words) != len(b.words):
        return unsure("script")
    if all(in_latin(x) == in_latin(y) for x, y in zip(a.words, b.words, strict=True)):
        return same("person:translit")
    if all(sound_of(x) == sound_of(y) for x, y in zip(a.words, b.words, strict=True)):
        return same("person:translit_loose")
    return unsure("script")


def _blocked(a: Person, b: Person) -> Verdict | None:
    if a.sex and b.sex and a.sex != b.sex and (a.family == b.family or a.words[-1:] == b.words[-1:]):
        return different("person:title_sex")
    if a.generation and b.generation and a.generation != b.generation:
        return different("person:generation")
    if not (a.given and a.family and b.given and b.family):
        return None
    if sorted(map(plain, a.words)) == sorted(map(plain, b.words)):
        return None
    family = _compare_family(a, b)
    if family == "other":
        return different("person:family_differs")
    given = _compare_given(plain(a.given), plain(b.given))
    if family == "equal" and given == "other" and not _goes_by_middle(a, b):
        return different("person:given_differs")
    if family == "equal" and given == "equal" and _middles_differ(a.middle, b.middle):
        return different("person:middle_differs")
    return None


def _compare_family(a: Person, b: Person) -> str:
    """equal, initial, part (double, maiden, a middle name of the other), near or other."""
    x, y = plain(a.family), plain(b.family)
    if x == y or same_without_marks(a.family, b.family):
        return "equal"
    if min(len(x), len(y)) == 1:
        return "initial" if x[0] == y[0] else "other"
    parts_a, parts_b = set(x.split()), set(y.split())
    others_a = parts_a | {plain(w) for w in (*a.middle, *a.maiden.replace("-", " ").split())}
    others_b = parts_b | {plain(w) for w in (*b.middle, *b.maiden.replace("-", " ").split())}
    if parts_a & others_b or parts_b & others_a:
        return "part"
    joined_a, joined_b = x.replace(" ", ""), y.replace(" ", "")
    if joined_a == joined_b or is_near(joined_a, joined_b):
        return "near"
    return "near" if joined_a.startswith(joined_b) or joined_b.startswith(joined_a) else "other"


def _compare_given(x: str, y: str) -> str:
    """equal, initial, nickname, shared (both have a form in common), near or other."""
    if x == y:
        return "equal"
    if min(len(x), len(y)) == 1:
        return "initial" if x[0] == y[0] else _initial_of_nickname(x, y)
    if is_nickname(x, y):
        return "nickname"
    if shares_nickname(x, y) or (min(len(x), len(y)) >= 3 and (x.startswith(y) or y.startswith(x))):
        return "shared"
    return "near" if is_near(x, y) else "other"


def _initial_of_nickname(x: str, y: str) -> str:
    initial, name = sorted((x, y), key=len)
    # B. may be William, called Bill.
    return "shared" if len(name) > 1 and any(f.startswith(initial) for f in forms_of(name)) else "other"


def _goes_by_middle(a: Person, b: Person) -> bool:
    """Paul McCartney is James Paul McCartney."""
    return any(_compare_given(plain(x.given), plain(m)) != "other" for x, y in ((a, b), (b, a)) for m in y.middle)


def _middles_differ(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    if not a or not b or len(a) != len(b):
        return False
    return any(_compare_given(plain(x), plain(y)) == "other" for x, y in zip(a, b, strict=True))


def _accepted(a: Person, b: Person) -> Verdict | None:
    if a.generation != b.generation:
        return None
    if a.words == b.words:
        if a.titles == b.titles and not (a.maiden or b.maiden) and a.has_comma == b.has_comma:
            return same("punct")
        if not (a.is_full and b.is_full) or (a.maiden and b.maiden and a.maiden != b.maiden):
            return None
        return same(_what_came_off(a, b))
    if not (a.is_full and b.is_full) or (a.maiden and b.maiden):
        return None
    if same_without_marks(" ".join(a.words), " ".join(b.words)):
        return same("person:diacritics")
    if a.given == b.given and a.family == b.family and _is_expanded(a.middle, b.middle):
        return same("person:middle_initial")
    return None


def _what_came_off(a: Person, b: Person) -> str:
    if a.maiden or b.maiden:
        return "person:nee"
    return "person:title" if a.titles != b.titles else "person:comma"


def _is_expanded(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether middle names are equal, but for initials of the other's; at least one is."""
    return (
        bool(a)
        and len(a) == len(b)
        and all(x == y or (x[0] == y[0] and min(len(x), len(y)) == 1) for x, y in zip(a, b, strict=True))
    )


def _left_unsure(a: Person, b: Person) -> Verdict:
    if not (a.given and a.family and b.given and b.family):
        return _bare(a, b)
    if a.generation != b.generation:
        return unsure("generation_on_one_side")
    if sorted(map(plain, a.words)) == sorted(map(plain, b.words)):
        return unsure("near:marks" if list(map(plain, a.words)) == list(map(plain, b.words)) else "swapped")
    given, family = _compare_given(plain(a.given), plain(b.given)), _compare_family(a, b)
    if given == "equal" and family == "equal":
        return unsure("short:middle")
    if family == "equal":
        named = {"initial": "short:given_initial", "nickname": "short:nickname", "near": "near:given"}
        return unsure(named.get(given, "given_shared" if given == "shared" else "middle_as_given"))
    if given == "equal":
        named = {"initial": "short:family_initial", "near": "near:family", "part": "double_name"}
        return unsure(named[family])
    if given == "initial" and family == "initial":
        return unsure("short:initials")
    return unsure("both_names_differ")


def _bare(a: Person, b: Person) -> Verdict:
    """At least one is a bare name; it fits the other or it does not, and never more than that."""
    short, long = sorted((a, b), key=lambda p: (bool(p.given) + bool(p.family), len(p.words), p.words, p.key))
    if not long.family or not long.given:
        if short.words == long.words:
            return unsure("bare_title")
        joined = (plain("".join(short.words)), plain("".join(long.words)))
        return unsure("near:marks" if joined[0] == joined[1] else "bare_near" if is_near(*joined) else "bare_names")
    if short.family:
        return unsure("short:family_only" if plain(short.family) == plain(long.family) else "bare_other")
    name = plain(short.given)
    if name == plain(long.given):
        return unsure("short:given_only")
    if is_nickname(name, plain(long.given)):
        return unsure("short:nickname_only")
    return unsure("short:family_only" if name == plain(long.family) else "bare_other")
