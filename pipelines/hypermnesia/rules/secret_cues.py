"""Secrets that only the words around them show: passwords, PINs, codes, phrases, answers.

A cue ("password", "door code") is looked for first; then what stands behind it must be joined to it
(":", "is", "lautet", or nothing but a blank) and look like a value, the more so the weaker the join.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypermnesia.rules.secret_words import AFTER_A_VALUE, NOT_A_VALUE, WIFI

Found = tuple[str, int, int]

_I = re.IGNORECASE
_IS = (
    r"is|are|was|were|be|now|currently|still|again|also|just|has|have|been|set|changed|reset|updated|it|it's|its|to|as|"
    r"ist|lautet|jetzt|nun|war|es|era|ahora|sigue|siendo|son|est|c'est|c’est|maintenant|reste|soit|sera|will|should|"
    r"'s|’s|both|all|it’s|exactly|simply|actually"
)
#: Words between a cue and its value: "for the zip file", "on mum's phone".
_ABOUT = (
    r"(?:\s*\([^()\n]{1,30}\)|\s+(?:for|to|of|on|at|from|in|für|fürs|vom|von|zum|zur|beim|im|del?|para|pour|du|des|"
    r"d'|sur|au)\b"
    r"[^\n.!?:=\d]{1,40}?)"
)
#: How a cue is joined to its value: a sign, a verb, a dash, or a blank alone.
_JOIN = (
    rf"(?:{_ABOUT}?(?:(?P<sign>\s*(?:{_IS})?[ \t]*(?:=>|->|:=|=|:)\s*)"
    rf"|(?P<verb>(?:'s|’s)?(?:,?\s+(?:{_IS})\b)*(?:'s|’s|,?\s+(?:{_IS})\b):?\s+|(?:'s|’s)\s+)"
    rf"|(?P<dash>\s+[-–—]\s+))|(?P<about>{_ABOUT})?(?P<blank>,?[ \t]+))"
)
_PASSWORD = re.compile(
    r"(?<![\w$.{/])(?P<cue>(?:\w+[ _-])?(?:pass ?words?|pass ?phrase|passwor[dt]|passwd|pwd?|pw|pass|kennw[oö]rter|"
    r"kennwort|"
    r"passwörter|contraseñas?|contrasena|clave|mots? de passe|mdp)|[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|"
    r"_PWD?)[A-Z0-9_]*|"
    r"\w{2,30}[Pp]assw(?:ord|ort)|(?:network|wi-?fi|wlan|wpa2?|router|security)[ -]?(?:key|schlüssel|code)|"
    r"clé(?: du)? wi-?fi|"
    r"code wi-?fi|schlüssel)[\"']?(?P<number> ?#?\d(?=\s*[:=]))?" + _JOIN,
    _I,
)
_QUOTED = re.compile(
    r"\"([^\"\n]{3,80})\"|“([^”\n]{3,80})”|„([^“”\n]{3,80})[“”]|«\s?([^»\n]{3,80}?)\s?»|`([^`\n]{3,80})`|"
    r"'([^'\n]{3,60})'(?!\w)"
)
_TOKEN = re.compile(r"[^\s\"“”„«»<>]{3,120}")
_TRAILING = ".,;:)?]}'’\"“”"
_HOLE = re.compile(
    r"[<{$%\[]|\*{2,}|•|x{4,}\b|X{4,}\b|\.{2,}|_{2,}|your[_-]?|my_?pass|process\.env|os\.|env\b|getenv|get\w*\(|"
    r"\w+\(|self\.|"
    r"string\b|str\b|none\b|null\b|true\b|false\b|https?://|www\.|changeme$|bcrypt|\|\||&&|==|!=|e\.g\.",
    _I,
)
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_SIGN_IN = re.compile(r"[^\w\s'’.,;:()?/-]|_|[a-zß-ü][A-Z]|(?<=\w)\.(?=\w)")
_NEXT = re.compile(r"\s*([.,;!?)\]\n\"'”]|$|[-–—]\s)|\s+([\w']+)")


def find_passwords(text: str) -> Iterator[Found]:
    """Passwords, passphrases and Wi-Fi keys behind their cue."""
    for cue in _PASSWORD.finditer(text):
        span = _password_at(text, cue)
        if span:
            around = text[max(0, cue.start() - 40) : cue.end()].rsplit("\n", 1)[-1]
            if _is_vague(cue["cue"]) and not (WIFI.search(around) or is_shaped(text[slice(*span)])):
                continue
            yield "wifi password" if WIFI.search(around) else "password", *span


def _is_vague(cue: str) -> bool:
    """Words that mean much else: a mountain pass, the key to success."""
    return re.search(r"(?:^|[ _-])(?:pass|clave|schlüssel)$", cue, _I) is not None


def _password_at(text: str, cue: re.Match[str]) -> tuple[int, int] | None:
    at = cue.end()
    quoted = _QUOTED.match(text, at)
    is_joined = cue["sign"] is not None or cue["verb"] is not None
    if quoted and (is_joined or cue["blank"] or cue["dash"]) and cue["cue"].lower() != "pass":
        number = quoted.lastindex or 0
        value = quoted.group(number)
        if _HOLE.match(value) or value.lower() in NOT_A_VALUE:
            return None
        return quoted.span(number)
    token = _TOKEN.match(text, at)
    if not token:
        return None
    start, end = trim(text, *token.span())
    value = text[start:end]
    if len(value) < 3 or _HOLE.match(value) or value.lower() in NOT_A_VALUE or value in ("==", "!=", "="):
        return None
    if cue["sign"] is not None:
        is_near = "\n" not in cue["sign"]
        is_value = is_shaped(value) or (is_near and len(value) >= 4 and _ends_clause(text, end))
        return _with_tail(text, start, end) if is_value else None
    if cue["verb"] is not None:
        if is_shaped(value) and len(value) >= 4 and not re.fullmatch(r"\d{1,3}(?:[.,:]\d+)*\D{0,3}", value):
            return _with_tail(text, start, end)
        if not re.search(r"\b(?:to|as|it|has|have|be|was|set|been)\s*$", cue["verb"], _I) or re.search(
            r"\bto\s*$", cue["verb"]
        ):
            if _LETTER.search(value) and len(value) >= 4 and _ends_clause(text, end):
                return start, end
            return _phrase_with_number(text, start)
        return None
    if cue["about"]:
        is_sure = is_strong_value(value) and len(value) >= 8
        return (start, end) if is_sure else None
    is_strong = (
        len(value) >= 6 and _LETTER.search(value) and is_shaped(value) and not re.fullmatch(r"\d+[a-zA-Z]{1,5}", value)
    )
    is_key = WIFI.search(cue["cue"]) and re.fullmatch(r"[A-Z0-9-]{8,}", value)
    return (start, end) if is_strong or is_key else None


def is_shaped(value: str) -> bool:
    """Whether a token is no ordinary word: a digit, a sign or capitals inside."""
    if re.fullmatch(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", value):
        return False
    return bool(_DIGIT.search(value) or _SIGN_IN.search(value.rstrip("!")) or (value.endswith("!") and len(value) > 8))


def is_strong_value(value: str) -> bool:
    """Letters, a digit and a sign: hardly a word of ordinary talk."""
    return bool(_LETTER.search(value) and _DIGIT.search(value) and re.search(r"[^\w\s'’.,:/-]", value))


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A token without the punctuation of its sentence."""
    while start < end and text[start] in "('‘":
        start += 1
    while end > start and text[end - 1] in _TRAILING and not (text[end - 1] == ")" and "(" in text[start:end]):
        end -= 1
    return start, end


def _ends_clause(text: str, end: int) -> bool:
    """Whether the clause ends behind a value, or goes on with a word that may follow one."""
    found = _NEXT.match(text, end)
    return found is not None and (found[1] is not None or found[2].lower() in AFTER_A_VALUE)


def _with_tail(text: str, start: int, end: int) -> tuple[int, int]:
    """A value in several words: "sunny horse 41" is one where the later words carry the digits."""
    more = re.compile(r"(?: [a-z]{3,12}){0,3} \d{2,6}(?=$|[.,;!\n])").match(text, end)
    return (start, more.end()) if more and re.fullmatch(r"[a-z]+", text[start:end]) else (start, end)


def _phrase_with_number(text: str, start: int) -> tuple[int, int] | None:
    found = re.compile(r"[a-z]{3,12}(?: [a-z]{3,12}){0,3} \d{2,6}(?=$|[.,;!\n])").match(text, start)
    if not found or any(word in NOT_A_VALUE for word in found.group().split()):
        return None
    return found.span()


_CHANGED = re.compile(
    r"\b(?:re)?(?:set|changed?|update[d]?|switch(?:ed)?|geändert|cambi[ée]|changé)\s+(?:\w+\s+){0,3}?(?:password|"
    r"passwort|pw|"
    r"pass|passphrase|it|contraseña|mot de passe)\s+(?:back\s+)?(?:to|auf|zu|a|en)\s+(?P<value>[^\s\"“”]{4,60})",
    _I,
)
_NAMED_BEFORE = re.compile(
    r"(?P<value>[^\s\"“”„]{4,60}|\"[^\"\n]{4,60}\"|“[^”\n]{4,60}”)[\"”]?,?\s+(?:(?:is|was|are|as|for|ist|es|est|"
    r"that's|=)\s+)"
    r"(?:\w+\s+){0,3}?(?:[\w'’]+\s+)?(?:password|passwort|pw|passphrase|wi-?fi|contraseña|mot de passe|kennwort)\b",
    _I,
)
_LOGIN_PAIR = re.compile(
    r"\b(?:log(?:ged)? ?in|sign ?in|account|zugang\w*|credentials|creds|user(?:name)?|benutzer|usuario|"
    r"identifiants?)\b[^\n]{0,50}?"
    r"[\w.@+-]{2,60}\s*(?:/|\band\b|\by\b|\bund\b|\bet\b|,|\|)\s*(?P<value>[^\s\"“”,]{6,60})",
    _I,
)
_APPOSITION = re.compile(
    r"\b(?:password|passwort|contraseña|mot de passe|pw)[^.,\n:=]{0,20}, (?P<value>\S{5,40}?),(?= )", _I
)
_USE = re.compile(
    r"\b(?:use|try|enter|type(?: in)?|nimm|prueba|essaie)\s+(?:my |the |our )?(?:password |pw )(?P<value>\S{5,60})", _I
)
_SHORT = re.compile(r"\b(?:u|user|usr|login)\s*[:=]\s*\S{1,60},?\s+p\s*[:=]\s*(?P<value>\S{4,60})", _I)
_FLAG = re.compile(r"(?:^|\s)(?:mysql\w*|mariadb|sshpass|mysqldump)\b[^\n]{0,60}?\s-p(?P<value>[^\s'\"]{4,60})")


def find_spoken_passwords(text: str) -> Iterator[Found]:
    """Passwords that stand elsewhere than behind the word: "reset it to ...", "... is my password"."""
    for pattern in (_CHANGED, _NAMED_BEFORE, _LOGIN_PAIR, _APPOSITION, _USE, _SHORT, _FLAG):
        for found in pattern.finditer(text):
            start, end = trim(text, *found.span("value"))
            if text[start : start + 1] in '"“':
                start += 1
            value = text[start:end].rstrip('"”')
            end = start + len(value)
            if not _is_spoken(text, found, pattern, value):
                continue
            around = text[max(0, found.start() - 40) : found.end()]
            yield "wifi password" if WIFI.search(around) else "password", start, end


def _is_spoken(text: str, found: re.Match[str], pattern: re.Pattern[str], value: str) -> bool:
    if len(value) < 4 or _HOLE.match(value) or value.lower() in NOT_A_VALUE:
        return False
    if pattern in (_FLAG, _SHORT):
        return True
    if pattern is _CHANGED:
        if " it " in found.group().lower() and not re.search(r"pass|pw|contrase", text, _I):
            return False
        return (is_shaped(value) and not value.isdigit()) or _ends_clause(text, found.end("value"))
    if pattern is _NAMED_BEFORE and " " in value:
        return bool(_DIGIT.search(value))
    has_both = bool(_DIGIT.search(value) and (_LETTER.search(value) or _SIGN_IN.search(value)))
    is_plain = re.fullmatch(r"\d+(?:[.,:/-]\d+)*[a-zA-Z]{0,3}|[\w.+-]+@[\w.-]+", value)
    return has_both and not is_plain and "password123" not in value.lower()
