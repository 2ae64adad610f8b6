"""Codes that only the words around them show: PINs, door and sign-in codes, card codes, account numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypermnesia.rules.secret_words import CARD, LOGIN, OPEN_CODES, PLACE

Found = tuple[str, int, int]

_I = re.IGNORECASE
_VERB = (
    r"is|are|was|'s|’s|it's|it’s|its|now|ist|lautet|es|est|c'est|c’est|set to|changed to|reads|"
    r"=|:|-|–|->|=>|to|war|jetzt|ahora"
)
#: A join that says that a value follows; a blank alone says less.
_JOIN = rf"(?P<join>(?:[\s,]*(?:{_VERB})(?=[\s:\d#*\"'“])[\s,]*)+|[\s,:=]+|)[\"'“#(]?"
_ABOUT = r"(?P<about>[^\n.!?:=\d]{0,48}?)"

_PIN = re.compile(
    rf"(?<![\w-])(?P<cue>(?:\w+[ -])?(?:pins?|pincode|pin[ -]?code|pin[ -]?number|passcode|geheimzahl|code pin|"
    rf"(?:un)?lock code|"
    rf"entsperrcode|screen lock|puk|sim-pin|pin-nummer|"
    rf"código pin))(?![\w-])(?=\D{{0,90}}\d){_ABOUT}{_JOIN}(?P<value>\d(?:[ -]?\d){{3,7}})"
    r"(?![\w%€$£]|[ .,:/-]?\d)",
    _I,
)
_PIN_BEFORE = re.compile(
    r"(?<![\w.,/-])(?P<value>\d{4,8})[\"”]?\s+(?:(?:is|as|for|ist|als|es|est|"
    r"was)\s+)(?:\w+[’']?s?\s+){0,3}?(?P<cue>pin|passcode)(?![\w-])",
    _I,
)
_NO_PIN = re.compile(r"\b(?:area|city|zip|post\w*|bowl\w*|board|connector|postal|district|delivery|gpio|map)\b", _I)

_CODE = (
    r"(?:[\wäöüß-]*?codes?|códigos?|codigos?|combo|combination|combinación|combinaison|kombination|digicode|otp|"
    r"m?tan|passcode|"
    r"one[ -]time pass(?:word|code)|einmalpasswort|zahlencode)"
)
_VALUE = (
    r"(?P<value>[*#]?(?:\d{1,2}(?:[ -]\d{1,2}){2,5}|"
    r"[A-Z]?\d{3}[ -]?\d{3}(?!\d)|[A-Z]{0,2}\d{2,8}[A-Z]?\d{0,4}[A-Z]?)[*#]?)"
)
_CODE_AHEAD = re.compile(
    rf"(?<![\w-])(?P<cue>{_CODE})(?![\w-])(?=\D{{0,90}}\d)(?:'s|’s)?(?P<about>[^\n.!?:=\d]{{0,48}}?)"
    rf"{_JOIN}(?:G-)?{_VALUE}(?![\w%€$£]|[.,:/-]\d)",
    _I,
)
_BEFORE = re.compile(r"(?:[\wäöüßéèñó’'&-]+,? ){1,4}$")
_CODE_BEHIND = re.compile(
    rf"(?<![\w.,/:€$£-])(?:G-)?{_VALUE}[\"”]?\s+(?:(?:is|as|ist|als|es|"
    rf"est)\s+)(?P<about>(?:[\wé’']+\s+){{0,4}}?)(?P<cue>{_CODE})(?![\w-])(?P<rest>[^\n.!?]{{0,40}})",
    _I,
)
_TYPED = re.compile(
    r"\b(?:punch(?: in)?|type(?: in)?|press|enter|key in|dial|hit|tippe|pulsa|marca|tape[zr]?|compose[zr]?|"
    r"use)\s+(?:in\s+|the code\s+)?"
    r"(?P<value>[*#]?\d{3,8}[*#]?)(?![\w:.-]|\s*(?:times|km|am|pm|words|steps|people))(?P<rest>[^\n.!?]{0,50})",
    _I,
)
_PLACED = re.compile(
    r"\b(?:keypad|key ?pad|lockbox|padlock|luggage lock|bike lock|suitcase lock|digicode)(?P<join>\s*[:=]\s*|"
    r"\s+(?:code |combo )?(?:is|is set to|set to)\s+)"
    r"(?P<value>[*#]?\d{3,8}[*#]?)(?![\w:.])",
    _I,
)


_DEVICE = re.compile(
    r"^ (?:for|of|on|to|für|von|de|del|pour) (?:\w+[’']?s? ){0,3}(?:card|phone|sim|tablet|karte|handy|tarjeta|"
    r"carte) ?$",
    _I,
)


def find_pins(text: str) -> Iterator[Found]:
    """PINs and passcodes of cards and devices."""
    for found in _PIN.finditer(text):
        said = found["cue"] + found["about"]
        is_joined = _is_joined(found["join"]) or not found["about"].strip() or bool(_DEVICE.search(found["about"]))
        if is_joined and not _NO_PIN.search(said) and "'t" not in said and len(re.sub(r"\D", "", found["value"])) >= 4:
            kind = "access code" if PLACE.search(said) and "screen" not in said else "pin"
            yield kind, *found.span("value")
    for found in _PIN_BEFORE.finditer(text):
        yield "pin", *found.span("value")


def _is_joined(join: str) -> bool:
    return bool(re.search(r"\w|[:=–-]|’", join))


def find_codes(text: str) -> Iterator[Found]:
    """Codes of doors, gates, lockers, alarms and safes, and codes that sign somebody in once."""
    for found in _CODE_AHEAD.finditer(text):
        if kind := _kind_of_code(text, found):
            yield kind, *found.span("value")
    for found in _CODE_BEHIND.finditer(text):
        said = found["about"] + found["cue"] + found["rest"]
        if not _is_open([*found["about"].split(), found["cue"]]) and _is_code(found["value"]):
            yield "access code" if PLACE.search(said) else "one-time code", *found.span("value")
    for found in _TYPED.finditer(text):
        around = text[max(0, found.start() - 50) : found.start()].rsplit("\n", 1)[-1] + found["rest"]
        if PLACE.search(around) or LOGIN.search(found["rest"]):
            yield "access code" if PLACE.search(around) else "one-time code", *found.span("value")
    for found in _PLACED.finditer(text):
        yield "access code", *found.span("value")


def _kind_of_code(text: str, found: re.Match[str]) -> str | None:
    """What a code behind its cue is, None for a code that is no secret."""
    cue, about, value = found["cue"].lower(), found["about"], found["value"]
    words_before = _BEFORE.search(text[max(0, found.start() - 60) : found.start()])
    before = words_before.group().lower().replace(",", " ").split() if words_before else []
    if _is_open([*before[-2:], cue, *about.lower().split()[:3]]) or not _is_code(value):
        return None
    is_joined = _is_joined(found["join"])
    start, end = max(0, found.start("cue") - 60), found.end() + 60
    clause = text[start:end].replace("\n", " ")
    near = " ".join(before) + " " + cue + about
    is_place = bool(PLACE.search(near)) or (not LOGIN.search(near) and bool(PLACE.search(clause)))
    is_login = bool(LOGIN.search(near) or LOGIN.search(clause)) or cue in ("otp", "tan", "mtan")
    if about.strip() and not is_joined and not (PLACE.search(about) and len(about.split()) <= 4):
        return None
    digits = re.sub(r"\D", "", value)
    if re.search(r"combo|combin|kombin", cue) and not (is_place or re.search(r"\d[ -]\d", value)):
        return None
    if re.search(r"security|seguridad|sécurité|sicherheit", near, _I) and CARD.search(clause) and len(digits) in (3, 4):
        return None  # the card's own code: find_card_codes names it
    if is_place:
        return "access code"
    if is_login:
        return "one-time code" if len(digits) >= 4 else None
    if re.search(r"[:=]|\w", found["join"]) and len(digits) >= 4 and not re.fullmatch(r"(?:19|20)\d\d", value):
        return "one-time code" if len(digits) >= 5 else "access code"
    return None


def _is_open(words: list[str]) -> bool:
    return any(word.strip("'’-") in OPEN_CODES for word in words) or any("fehler" in w or "error" in w for w in words)


def _is_code(value: str) -> bool:
    digits = re.sub(r"\D", "", value)
    return len(digits) >= 3 or (len(digits) >= 2 and len(value) >= 4)


_CARD_CODE = re.compile(
    r"(?<!\w)(?:cvv2?|cvc2?|cvn|card verification (?:code|value|number)|card code|prüfziffer|kartenprüfnummer|"
    r"prüfnummer|cryptogramme|"
    r"(?P<weak>security code|sicherheitscode|código de seguridad|code de sécurité))(?!\w)(?P<about>[^\n.!?:=\d]{0,32}?)"
    rf"{_JOIN}(?P<value>\d{{3,4}})(?![\w%]|[.,:/-]?\d)",
    _I,
)
_ACCOUNT = re.compile(
    r"\b(?:(?:account|acct?|a/c)\.? ?(?:number|no\.?|nr\.?|num(?:ber)?|#)|bank account|konto(?:nummer|-?nr\.?)|"
    r"número de cuenta|"
    rf"cuenta (?:bancaria|corriente)|"
    rf"numéro de compte)(?P<about>[^\n.!?:=\d]{{0,24}}?){_JOIN}(?P<value>\d(?:[ -]?\d){{6,16}})(?![\w-]|[.,]\d)",
    _I,
)
_SSN_CUE = re.compile(
    r"\b(?:ssn|social(?: security)?(?: (?:number|no\.?|num|nr|"
    r"#))?)(?P<about>[^\n.!?\d]{0,24}?)(?P<value>\d{3}[ -]?\d{2}[ -]?\d{4})(?![\w-])",
    _I,
)
_SSN = re.compile(r"(?<![\w-])(?!000|666|9\d\d)(?P<value>\d{3}-(?!00)\d\d-(?!0000)\d{4})(?![\w-])")
_PASSPORT = re.compile(
    r"\b(?:passport|reisepass|pass(?=nummer)|pasaporte|passeport|passaporto)(?:[ -]?(?:number|no\.?|num|nr\.?|"
    r"nummer|nº|#))?"
    rf"{_JOIN}(?P<value>(?=[A-Z]*\d[A-Z]*\d)[A-Z0-9]{{6,10}})(?![\w/-])",
    _I,
)


def find_numbers(text: str) -> Iterator[Found]:
    """Card codes, bank accounts, social security and passport numbers behind their cue."""
    for found in _CARD_CODE.finditer(text):
        is_about = not found["about"].strip() or _is_joined(found["join"])
        if is_about and (not found["weak"] or CARD.search(text[max(0, found.start() - 40) : found.end() + 20])):
            yield "card code", *found.span("value")
    for found in _ACCOUNT.finditer(text):
        yield "bank account", *found.span("value")
    for pattern in (_SSN_CUE, _SSN):
        for found in pattern.finditer(text):
            yield "social security number", *found.span("value")
    for found in _PASSPORT.finditer(text):
        yield "passport number", *found.span("value")
