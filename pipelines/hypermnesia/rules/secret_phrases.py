"""Secrets of several words, and keys behind their cue: recovery phrases and codes, security answers, API keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypermnesia.rules.secret_words import NOT_A_VALUE, PROSE

Found = tuple[str, int, int]

_I = re.IGNORECASE

_PHRASE_CUE = re.compile(
    r"\b(?:(?:seed|recovery|mnemonic|backup|secret|wallet|restore|12|24|18|twelve|"
    r"twenty[ -]four)[ -]?(?:word )?(?:recovery )?(?:phrases?|words|seed)|"
    r"mnemonics?|seed|wiederherstellungs(?:phrase|wörter|satz)|frase (?:semilla|de recuperación|secreta)|"
    r"palabras (?:semilla|de recuperación)|"
    r"phrase (?:de récupération|secrète|mnémonique)|seed-phrase)\b(?P<about>[^\n:=]{0,40}?)(?P<join>\s*[:=]\s*|"
    r"\s+(?:is|are|ist|lautet|sind|es|son|est|sont)\s+|\s+)",
    _I,
)
_WORD = r"(?:\d{1,2}[.):]?\s?)?[a-zäöüßéèêñáíóú]{3,10}"
_RUN = re.compile(rf"{_WORD}(?:[\s,;]+{_WORD}){{10,29}}")
_WORD_ALONE = re.compile(r"[a-zäöüßéèêñáíóú]+")
_LENGTHS = (24, 21, 18, 15, 12, 11)


def find_recovery_phrases(text: str) -> Iterator[Found]:
    """The words of a wallet: 11 to 24 lower-case words behind their cue, without the words of a sentence."""
    for cue in _PHRASE_CUE.finditer(text):
        if run := _RUN.match(text, cue.end()):
            is_number = cue.group()[0].isdigit() or cue.group()[:6].lower() in ("twelve", "twenty")
            if (is_number and cue["about"].strip()) or (
                cue.group().lower().strip() == "seed" and not cue["join"].strip()
            ):
                continue
            found = list(_WORD_ALONE.finditer(run.group()))
            n = next((i for i, w in enumerate(found) if w.group() in PROSE), len(found))
            if n := next((length for length in _LENGTHS if length <= n < length + 3), 0):
                yield "recovery phrase", run.start(), run.start() + found[n - 1].end()


_CODES_CUE = re.compile(
    r"\b(?:recovery|backup|back-up|emergency|rescue|scratch|wiederherstellungs|notfall|backup-|secours|respaldo|"
    r"récupération|recuperación)[ -]?"
    r"(?:codes?|keys?|schlüssel)\b(?:[^\n:=\d]{0,30}?\s*(?:[:=]|\bis\b|\bare\b|\bist\b|\blautet\b|\bsind\b)|)\s*",
    _I,
)
_CODES_BEFORE = re.compile(
    r"\b(?:códigos?|codes?) de (?:respaldo|recuperación|secours|récupération)\b[^\n:=\d]{0,30}?\s*[:=]?\s*", _I
)
_ONE_CODE = re.compile(
    r"(?P<value>(?=[A-Za-z-]*\d|\d)(?:[A-Z0-9]{4,}(?:[- ](?=[A-Z]*\d|[A-Z]{2})[A-Z0-9]{3,})*|"
    r"[a-z0-9]{4,}(?:-[a-z0-9]{3,})*))"
    r"(?![\w-])(?:\s*(?:,|;|\n|/|\band\b|\by\b|\bund\b|\bet\b)\s*|\s+(?=\d{6,}))?"
)


def find_recovery_codes(text: str) -> Iterator[Found]:
    """Backup codes of a sign-in, one or a list."""
    for pattern in (_CODES_CUE, _CODES_BEFORE):
        for cue in pattern.finditer(text):
            at = cue.end()
            while (one := _ONE_CODE.match(text, at)) and _is_recovery_code(one["value"]):
                yield "recovery code", *one.span("value")
                at = one.end()


def _is_recovery_code(value: str) -> bool:
    return len(re.sub(r"\W", "", value)) >= 6 and not re.fullmatch(r"\d{4}-\d\d-\d\d", value)


_ANSWER_CUE = re.compile(
    r"\b(?:(?:the )?answer to (?:the|my|our|his|her|your|that) (?:\w+ )?(?:security|secret) questions?|(?:security|"
    r"secret)(?: question)?(?:'s)? answer|"
    r"security question(?:'s)? answer|sicherheitsantwort|antwort auf (?:die|meine) (?:sicherheits|geheim)frage|"
    r"geheimantwort|"
    r"respuesta (?:de seguridad|secreta)|respuesta a (?:la|mi) pregunta (?:de seguridad|secreta)|"
    r"réponse (?:à (?:la|ma) question )?(?:secrète|de sécurité))\b(?P<about>[^\n:=.?!]{0,20}?)"
    r"(?:\s*[:=]\s*|\s+(?:is|was|ist|lautet|es|est|c'est)\s+)[\"“'«]?(?P<value>[^\W_][^\n.,;!?\"”»:(]{1,40})",
    _I,
)


def find_security_answers(text: str) -> Iterator[Found]:
    """Answers to security questions, where the text says that they are."""
    for found in _ANSWER_CUE.finditer(text):
        value = re.split(r"\s+(?:for|on|and|but|in case|btw|by the way|if|für|para|pour)\s+", found["value"])[0].rstrip(
            "'\" "
        )
        words = value.split()
        if words and len(words) <= 4 and words[0].lower() not in NOT_A_VALUE:
            yield "security answer", found.start("value"), found.start("value") + len(value)


_KEY_CUE = re.compile(
    r"(?<![A-Za-z0-9])(?P<cue>(?:[\w-]+[_ -])?(?:api|access|secret|private|auth|authentication|client|app|consumer|"
    r"bearer|session|deploy|encryption|"
    r"signing|service|master|account|license|licence|webhook|refresh|personal access|subscription|product|bot|jwt|"
    r"csrf|id|aws)"
    r"[ _-]?(?:key|token|secret|id|pat)s?(?:[ _-](?:key|token|secret))?|"
    r"[\w-]*(?:apikey|secret[_-]?key|access[_-]?key|authtoken|sessionid|clientsecret)|\w*[_-](?:token|secret|key)|"
    r"token|pat|key|secret|aws secret|"
    r"clave api|clé api|api-schlüssel)[\"']?"
    r"(?P<about>(?:\s+(?:for|to|of|on|from|für|para|pour)\s[^\n.!?:=\d]{1,30}?)?)"
    r"(?P<join>\s*(?:=>|:=|=|:)\s*|\s+(?:is|are|was|ist|lautet|es|est|it's|now)\s+(?:now\s+)?:?\s*|\s+)[\"'`“]?(?:0x)?"
    r"(?P<value>(?=[A-Za-z_.~+/=~-]*\d)[A-Za-z0-9_.~+/=-]{10,512})",
    _I,
)
_WEAK_CUES = ("key", "token", "secret", "pat", "id")
_NO_KEY = re.compile(
    r"[\d.:/-]+$|\d{4}-\d\d|[a-z]+(?:[-/_][a-z]+)*[-_/]?\d{1,4}$|your|x{5,}|example[_-]|https?:|[\w.+-]+@|"
    r"\w+\.\w+\(|(.)\1{7,}$|[\w-]+\.(?:py|js|md|json|pdf|png|html?|ya?ml|txt)$",
    _I,
)


def find_named_keys(text: str) -> Iterator[Found]:
    """Keys and tokens behind their cue, without a form of their own."""
    for found in _KEY_CUE.finditer(text):
        cue, join, value = (
            found["cue"].lower(),
            found["join"],
            found["value"].rstrip(".=/-") if "=" not in found["value"][-2:] else found["value"],
        )
        is_joined = bool(join.strip())
        is_long = len(value) >= (16 if cue in _WEAK_CUES else 12 if is_joined else 16)
        if _NO_KEY.match(value) or not is_long or not re.search(r"[A-Za-z]", value) or "public" in cue:
            continue
        if found["about"] and not is_joined:
            continue
        if cue.endswith("id") and not cue.startswith(("session", "sessionid", "access", "aws")):
            continue
        kind = "token" if re.search(r"token|session|bearer|jwt", cue) else "api key"
        if "private" in cue:
            kind = "private key"
        yield kind, found.start("value"), found.start("value") + len(value)
