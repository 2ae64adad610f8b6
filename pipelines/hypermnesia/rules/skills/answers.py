"""What an environment's answer says of the action before it."""

from __future__ import annotations

import re

#: So much of an answer is read for words of failure: a page or a document may use them of other things.
_HEAD = 200

_FAILED = re.compile(
    r"^\s*(?:error\b|nothing happens|invalid\b|unknown\b|failed\b|failure\b|could not\b|traceback\b|usage:|fatal:"
    r"|(?:you|i) (?:can't|cannot|can not|don't|do not|are not|aren't)\b|no (?:such|known)\b|that does(?:n't| not)\b)"
    r"|\bcommand not found\b|\bno such file\b|\bnot (?:found|recognized|understood|allowed|possible)\b"
    r"|\bpermission denied\b|^\s*\{\"error\"",
    re.IGNORECASE,
)


def has_failed(answer: str) -> bool:
    """Whether an answer says that its action did nothing."""
    return _FAILED.search(answer[:_HEAD]) is not None
