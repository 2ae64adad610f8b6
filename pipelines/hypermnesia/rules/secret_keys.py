"""Secrets with a form of their own: keys, tokens, addresses with a password, card numbers, IBANs."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: (kind, start, end) of a value in a text.
Found = tuple[str, int, int]

#: Only a text with one of these can hold such a secret: this is what most texts are asked.
_WORTH_A_LOOK = re.compile(r"[A-Za-z0-9_+/=.~:-]{16}|\d(?:[ -]?\d){10}|://|-----BEGIN|[A-Z]{2}\d\d ", re.ASCII)

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:(?!-----BEGIN)[\s\S]){0,20000}?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:(?:\\n|\s)+(?:(?:Proc-Type|DEK-Info|Version|Comment): ?\S+|[A-Za-z0-9+/=]{16,}))*(?:(?:\\n|"
    r"\s)+[A-Za-z0-9+/]{1,15}={0,2}$)?)"
)

_EDGE, _END = r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9_-])"
_KEYS = re.compile(
    _EDGE
    + "(?:"
    + "|".join(
        (
            r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}",  # AWS
            r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{30,255}",
            r"gl(?:pat|dt|rt|ptt|agent|soat)-[A-Za-z0-9_=.-]{16,}",
            r"xox[abeoprs]-(?:\d-)?[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}",  # Slack
            r"[rsp]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}",  # Stripe
            r"sk-(?:proj-|ant-|or-|svcacct-|admin-|test-|live-)[A-Za-z0-9_-]{12,}",  # OpenAI, Anthropic
            r"sk-(?=[A-Za-z_-]*\d)(?=[0-9a-z_-]*[A-Z])[A-Za-z0-9_-]{20,}",
            r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}",  # Google
            r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{30,}|dop_v1_[0-9a-f]{64}",
            r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}|key-[0-9a-f]{32}|[0-9a-f]{32}-us\d{1,2}",
            r"\d{8,10}:AA[A-Za-z0-9_-]{30,}",  # Telegram
            r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",  # Discord
            r"(?:SK|AC)[0-9a-f]{32}",  # Twilio
            r"(?:shpat|shpss|shpca|shppa)_[0-9a-fA-F]{32}|sq0(?:csp|atp|idp)-[A-Za-z0-9_-]{22,}",
            r"AGE-SECRET-KEY-1[A-Z0-9]{50,}|lin_api_[A-Za-z0-9]{30,}|dapi[0-9a-f]{32}|xkeysib-[0-9a-f]{40,}\S*",
        )
    )
    + ")"
    + _END
)
_WEBHOOK = re.compile(
    r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9_/+-]{20,})"
    r"|discord(?:app)?\.com/api/webhooks/(\d{15,}/[A-Za-z0-9_-]{20,})"
)
_TOKENS = re.compile(
    r"(?<![A-Za-z0-9_.-])(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?)"
    r"|\b[Bb]earer\s+(?=[A-Za-z_.~+/=-]*\d)([A-Za-z0-9_.~+/=-]{12,})"
    r"|\b[Aa]uthorization:\s*[Bb]asic\s+([A-Za-z0-9+/=]{8,})"
)
_IN_URL = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s:/@?#\"'<>\[\]]{0,80}:([^\s/\"'<>]{1,120})@(?=[\w\[])")
_IN_CONNECTION = re.compile(
    r"\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/=%&]{16,})"
    r"|[;?&\s](?:[Pp]assword|PASSWORD|[Pp]wd|PWD|passwd)\s*=\s*([^;&\s\"']{3,})(?=[;&\s\"']|$)"
)
_HOLE = re.compile(r"[<{$%*]|\[secret|x{4,}|(?i:your|example_|password$|pass$|env\b)")

_CARD = re.compile(r"(?<![\d.,/=_#-])(?<!\d )(?:\d[ -]?){12,18}\d(?![\d_]|[.,]\d|-\d|[ ]\d{3,}(?![\d/]))")
_CARD_FORMS = (
    (re.compile(r"4\d{12}(?:\d{3}){0,2}"), "4-4-4-4 13"),
    (re.compile(r"(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"), "4-4-4-4"),
    (re.compile(r"3[47]\d{13}"), "4-6-5"),
    (re.compile(r"(?:6011|65\d\d|64[4-9]\d|3528|35[3-8]\d|62\d\d|50\d\d|5[6-9]\d\d|6[37]\d\d)\d{12}"), "4-4-4-4"),
    (re.compile(r"3(?:0[0-5]|[68]\d)\d{11}"), "4-6-4 4-4-4-2"),
)
_NO_CARD = re.compile(
    r"(?:order|tracking|track|invoice|imei|isbn|ean|parcel|package|shipment|ticket|case|serial|sku|id|bestell\w*|"
    r"sendung\w*|pedido|commande|suivi)\W{0,3}(?:id|no|nr|num|number|nummer|code)?\W{0,4}(?:is|ist|es|est)?\W{0,3}$",
    re.IGNORECASE,
)
_AFTER_CARD = re.compile(
    r"^(?:[^\d\n]{0,24}\d\d ?/ ?\d{2,4})?(?:[^\d\n]{0,12}\b(?:cvv2?|cvc2?|cid|code|security)\b[^\d\n]{0,24}|[ ,/|"
    r"-]{1,3})"
    r"(\d{3,4})\b(?![/.\d]|[ -]\d)",
    re.IGNORECASE,
)
_EXPIRY = re.compile(r"\d\d ?/ ?\d{2,4}")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
_IBAN_LENGTHS = (15, 34)


def find_keys(text: str) -> Iterator[Found]:
    """Every secret that its own form shows."""
    if not _WORTH_A_LOOK.search(text):
        return
    if "PRIVATE KEY" in text:
        for found in _PRIVATE_KEY.finditer(text):
            yield "private key", found.start(), found.start() + len(found.group().rstrip())
    for found in _KEYS.finditer(text):
        yield "api key", *found.span()
    yield from _groups("api key", _WEBHOOK, text)
    yield from _groups("token", _TOKENS, text)
    if "://" in text:
        yield from _groups("password", _IN_URL, text)
    if "=" in text:
        for kind, start, end in _groups("password", _IN_CONNECTION, text):
            is_key = text[: start - 1].endswith(("Key", "Signature"))
            yield "api key" if is_key else kind, start, end
    yield from _find_cards(text)
    yield from _find_ibans(text)


def _groups(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Found]:
    for found in pattern.finditer(text):
        number = found.lastindex or 0
        if not _HOLE.match(found.group(number)):
            yield kind, *found.span(number)


def _find_cards(text: str) -> Iterator[Found]:
    for found in _CARD.finditer(text):
        digits = re.sub(r"\D", "", found.group())
        if not is_luhn(digits) or not _is_card_form(found.group(), digits):
            continue
        if is_named_otherwise(text, found.start()):
            continue
        yield "card number", *found.span()
        rest = text[found.end() : found.end() + 70]
        if code := _AFTER_CARD.match(rest):
            is_sure = re.search(r"cv|cid|code|security", code.group(), re.IGNORECASE) or _EXPIRY.search(code.group())
            if is_sure:
                yield "card code", found.end() + code.start(1), found.end() + code.end(1)


def is_named_otherwise(text: str, start: int) -> bool:
    """Whether the words before a long number say that it is no card's: an order, a parcel, a device."""
    return _NO_CARD.search(text[max(0, start - 40) : start]) is not None


def _is_card_form(written: str, digits: str) -> bool:
    """A brand's prefix and length, written in one piece or in the groups that the brand prints."""
    groups = "-".join(str(len(group)) for group in re.split(r"[ -]", written))
    for pattern, printed in _CARD_FORMS:
        if pattern.fullmatch(digits):
            return groups == str(len(digits)) or groups in printed.split()
    return False


def is_luhn(digits: str) -> bool:
    """Whether the last digit checks the others, as on cards."""
    doubled = [int(d) * (2 if place % 2 else 1) for place, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0 and len(set(digits)) > 1


def _find_ibans(text: str) -> Iterator[Found]:
    for found in _IBAN.finditer(text):
        written = found.group()
        for end in [len(written), *(m.start() for m in reversed(list(re.finditer(" ", written))))]:
            if is_iban(written[:end]):
                yield "iban", found.start(), found.start() + end
                break


def is_iban(written: str) -> bool:
    """Whether the check digits of an IBAN are right (ISO 7064, mod 97)."""
    plain = written.replace(" ", "")
    shortest, longest = _IBAN_LENGTHS
    if not shortest <= len(plain) <= longest or not plain.isascii() or not plain.isalnum():
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1
