"""What a model's text is: an answer of the schema, or one of the ways in which models fail (DESIGN 5.3)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from hypermnesia.rules.answer_schemas import first_mismatch

OK, EMPTY, TRUNCATED, WHITESPACE_LOOP = "ok", "empty", "truncated", "whitespace_loop"
REFUSAL, SCHEMA_ECHO, UNPARSEABLE = "refusal", "schema_echo", "unparseable"
STATUSES = (OK, EMPTY, TRUNCATED, WHITESPACE_LOOP, REFUSAL, SCHEMA_ECHO, UNPARSEABLE)

#: Why an engine stopped, in OpenAI's words, and in vLLM's for a loop; others mean the same as `stop`.
STOPPED_BY_LENGTH, STOPPED_BY_FILTER, STOPPED_BY_LOOP = "length", "content_filter", "repetition"

#: White space in a row, in characters, that no writer of JSON needs; inside a string it stands escaped.
LOOP_CHARACTERS = 200
_LOOP = re.compile(rf"(?:\s|\\[nrt]){{{LOOP_CHARACTERS}}}")
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_FENCE = re.compile(r"\A```[\w-]*\n(.*)\n```\Z", re.DOTALL)
_REFUSAL = re.compile(
    r"\A\W*(?:"
    r"(?:i['’]?m|i am|we['’]?re|we are) (?:very |so |really )?(?:sorry|afraid|unable|not able)|sorry\b|"
    r"(?:unfortunately,? )?(?:i|we) (?:cannot|can ?not|can['’]?t|could(?:n['’]t| not)|won['’]?t|will not|am unable)\b|"
    r"(?:i )?apologi[sz]e|my apologies|as an ai\b|"
    r"es tut mir leid|ich kann (?:\w+ )?nicht|leider|lo siento|no puedo|je suis désolé|je ne peux pas|desculpe|"
    r"mi dispiace|извините|к сожалению|抱歉|对不起|很抱歉|申し訳|すみません|죄송"
    r")",
    re.IGNORECASE,
)
#: Said where data was asked for; as free text it is an answer.
_NOTHING = re.compile(
    r"\A\W*(?:there (?:is|are|was|were) (?:nothing|no )|no (?:facts|memories)\b|nothing\b)", re.IGNORECASE
)


def answer_status(text: str, stopped_by: str, schema: Mapping[str, Any] | None) -> tuple[str, str]:
    """(status, why) of a completion's text; `stopped_by` is the engine's finish reason.

    A list without items is an answer only where the engine stopped by itself: nothing found is not nothing
    returned. A refusal inside a field of a right answer is a matter of grounding, not seen here.
    """
    said = unwrapped(text)
    is_cut = stopped_by in (STOPPED_BY_LENGTH, STOPPED_BY_LOOP)
    if not said:
        return (WHITESPACE_LOOP, "nothing but white space") if _LOOP.search(text) else (EMPTY, f"ended by {stopped_by}")
    if stopped_by == STOPPED_BY_FILTER:
        return REFUSAL, "the engine's filter"
    if schema is None:
        return _free_text(text, said, is_cut)
    try:
        value = json.loads(said, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return _not_json(text, said, is_cut, error)
    mismatch = first_mismatch(value, schema)
    if mismatch is None:
        return (TRUNCATED, "whole, but at the limit of tokens") if is_cut else (OK, "")
    if _is_echo(value, schema):
        return SCHEMA_ECHO, mismatch
    if any(_is_refusal(part) for part in _texts(value)):
        return REFUSAL, mismatch
    return (TRUNCATED if is_cut else UNPARSEABLE), mismatch


def unwrapped(text: str) -> str:
    """The answer without what some models put around it: thoughts before it, a code fence, white space."""
    said = _THOUGHTS.sub("", text).strip()
    fenced = _FENCE.match(said)
    return fenced.group(1).strip() if fenced else said


def read_answer(text: str) -> Any:
    """The value of an answer whose status is `ok`. Raises `ValueError` for any other text."""
    return json.loads(unwrapped(text), parse_constant=_no_constant)


def _free_text(text: str, said: str, is_cut: bool) -> tuple[str, str]:
    if _LOOP.search(text):
        return WHITESPACE_LOOP, ""
    if is_cut:
        return TRUNCATED, ""
    return (REFUSAL, "") if _REFUSAL.match(said) else (OK, "")


def _not_json(text: str, said: str, is_cut: bool, error: Exception) -> tuple[str, str]:
    if _LOOP.search(text):
        return WHITESPACE_LOOP, str(error)
    if _is_refusal(said):
        return REFUSAL, ""
    return (TRUNCATED if is_cut else UNPARSEABLE), str(error)


def _is_refusal(text: str) -> bool:
    return bool(_REFUSAL.match(text) or _NOTHING.match(text))


def _is_echo(value: Any, schema: Mapping[str, Any]) -> bool:
    """The schema came back instead of an answer, whole or with values written into it."""
    if not isinstance(value, dict):
        return False
    if "$defs" in value or "$schema" in value:
        return True
    fields = value.get("properties")
    return isinstance(fields, dict) and bool(set(fields) & set(schema.get("properties", {})))


def _texts(value: Any) -> list[str]:
    """The value's own text, or those of its fields; not deeper."""
    parts = value.values() if isinstance(value, dict) else [value]
    return [part for part in parts if isinstance(part, str)]


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
