"""Given names and their nicknames: the table of carltonnorthern/nicknames (Apache-2.0, see NOTICE) and a few of ours.

A nickname never makes two names one (bill is Robert's and Fred's there): it keeps them from being called different,
and proposes pairs.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

# formal name: nicknames that the table does not have.
_MORE = {
    "alexander": "sasha sascha xander sandro alessandro",
    "alexandra": "sasha sascha lexi xandra",
    "eleanor": "nell nelly ellie nora lenora",
    "helen": "nell nelly lena",
    "ellen": "nell nelly",
    "mary": "polly molly mamie",
    "maria": "mia masha mitzi",
    "michael": "misha michi",
    "tatiana": "tanya tania",
    "nikolai": "kolya nik",
    "dmitry": "dima mitya",
    "ivan": "vanya",
    "elena": "lena alyona",
    "katarzyna": "kasia",
    "malgorzata": "gosia",
    "joanna": "asia jo",
    "johannes": "hans hannes",
    "ulrich": "uli ulli",
    "ulrike": "uli ulli",
    "friedrich": "fritz",
    "josef": "sepp seppi",
    "jose": "pepe",
    "francisco": "paco pancho",
    "ignacio": "nacho",
    "guadalupe": "lupe",
    "maximilian": "max",
    "antonia": "toni",
    "oliver": "ollie",
    "mohammed": "mo",
    "muhammad": "mo",
    "wilhelmina": "minnie mina",
    "nicholas": "nico niko",
    "ashley": "ash",
    "danielle": "dani",
    "kimberly": "kim kimmy",
    "jason": "jay",
    "james": "jamie jimbo",
    "victoria": "tori vicky",
    "isabella": "bella izzy",
    "isabel": "izzy bella",
    "eric": "rick ricky",
    "august": "gus",
    "cassandra": "cass",
    "randall": "randy",
    "henry": "hank harry hal",
    "harold": "hal harry",
}


@cache
def _groups() -> dict[str, frozenset[str]]:
    """Each name with the formal names that it may stand for, itself included."""
    formal: dict[str, set[str]] = {}
    table = files("hypermnesia.rules").joinpath("data/nicknames.csv").read_text(encoding="utf-8")
    for line in table.splitlines()[1:]:
        name, _, nickname = line.split(",")
        formal.setdefault(nickname.strip(), {nickname.strip()}).add(name.strip())
    for name, nicknames in _MORE.items():
        for nickname in nicknames.split():
            formal.setdefault(nickname, {nickname}).add(name)
    return {name: frozenset(names) for name, names in formal.items()}


def formal_names(given: str) -> frozenset[str]:
    """The formal names for which a given name (folded) may stand, itself included."""
    return _groups().get(given, frozenset((given,)))


def is_nickname(a: str, b: str) -> bool:
    """Whether one of two given names is a nickname of the other."""
    return a != b and (a in formal_names(b) or b in formal_names(a))


@cache
def _all_forms() -> dict[str, frozenset[str]]:
    """Each formal name with its nicknames."""
    forms: dict[str, set[str]] = {}
    for nickname, names in _groups().items():
        for name in names:
            forms.setdefault(name, {name}).add(nickname)
    return {name: frozenset(nicknames) for name, nicknames in forms.items()}


def forms_of(given: str) -> frozenset[str]:
    """A given name with its own nicknames and the formal names that it may stand for."""
    return _all_forms().get(given, frozenset((given,))) | formal_names(given)


def shares_nickname(a: str, b: str) -> bool:
    """Whether two given names have a form in common: then neither says that the other is someone else."""
    return not forms_of(a).isdisjoint(forms_of(b))
