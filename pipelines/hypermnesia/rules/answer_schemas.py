"""JSON schemas of model answers: which keywords we use, and whether a value is of a schema.

The subset is what every engine that constrains its output holds to. What lies outside (patterns, open
objects, numbers without bounds that fit 32 bits) has crashed engines or let an answer run for ever, so it
is refused before a run starts, by the keyword's path. Sizes are counted in characters and items.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

_NOTES = {"title", "description", "default", "examples", "$schema"}
_BY_TYPE: dict[str, set[str]] = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "string": {"minLength", "maxLength"},
    "integer": {"minimum", "maximum"},
    "number": {"minimum", "maximum"},
    "boolean": set(),
    "null": set(),
}
_WITHOUT_TYPE = {"enum", "const", "anyOf", "$ref"}
_LARGEST = 2**31 - 1


def schema_problems(schema: Mapping[str, Any]) -> list[str]:
    """What an engine may not hold to, each as `path: why`; an empty list for a schema that can be used."""
    found = list(_problems(schema, "$"))
    for name, inner in schema.get("$defs", {}).items():
        found += _problems(inner, f"$.$defs.{name}")
    return found


def _problems(schema: Any, path: str) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        yield f"{path}: a schema is an object"
        return
    kind = schema.get("type")
    if kind is None and not _WITHOUT_TYPE & set(schema):
        yield f"{path}: no type"
        return
    if kind is not None and kind not in _BY_TYPE:
        yield f"{path}.type: {kind!r} is not one type; use anyOf"
        return
    allowed = _NOTES | {"type", "$defs", *_WITHOUT_TYPE} | (_BY_TYPE[kind] if kind else set())
    for keyword in sorted(set(schema) - allowed):
        yield f"{path}.{keyword}: not a keyword that every engine holds to"
    yield from _open_ends(schema, path)
    for name, inner in schema.get("properties", {}).items():
        yield from _problems(inner, f"{path}.properties.{name}")
    if "items" in schema:
        yield from _problems(schema["items"], f"{path}.items")
    for number, inner in enumerate(schema.get("anyOf", ())):
        yield from _problems(inner, f"{path}.anyOf[{number}]")


def _open_ends(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    """Fields without bounds: an engine that may go on, will."""
    kind = schema.get("type")
    if "enum" in schema or "const" in schema:
        return
    if kind == "object" and schema.get("additionalProperties") is not False:
        yield f"{path}.additionalProperties: must be false, else any map is an answer"
    if kind == "array" and "maxItems" not in schema:
        yield f"{path}.maxItems: missing, the list may go on until the tokens are used up"
    if kind == "string" and "maxLength" not in schema:
        yield f"{path}.maxLength: missing, the text may go on until the tokens are used up"
    if kind in ("integer", "number"):
        for bound in ("minimum", "maximum"):
            if bound not in schema:
                yield f"{path}.{bound}: missing, the digits may go on until the tokens are used up"
            elif abs(schema[bound]) > _LARGEST:
                yield f"{path}.{bound}: {schema[bound]} does not fit 32 bits"


def first_mismatch(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Where a value is not of the schema, as `path: why`; None where it is. Unknown keywords are not looked at."""
    return next(_mismatches(value, schema, "$", schema.get("$defs", {})), None)


def _mismatches(value: Any, schema: Mapping[str, Any], path: str, defs: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        yield from _mismatches(value, defs[schema["$ref"].removeprefix("#/$defs/")], path, defs)
    if "anyOf" in schema:
        tries = [next(_mismatches(value, inner, path, defs), None) for inner in schema["anyOf"]]
        if all(tries):
            yield f"{path}: none of anyOf ({tries[0]})"
    if "const" in schema and not _is_same(value, schema["const"]):
        yield f"{path}: is not {schema['const']!r}"
    if "enum" in schema and not any(_is_same(value, choice) for choice in schema["enum"]):
        yield f"{path}: is none of the {len(schema['enum'])} choices"
    kind = schema.get("type")
    if kind is None:
        return
    if not _is_kind(value, kind):
        yield f"{path}: is not of type {kind}"
    elif kind == "object":
        yield from _in_object(value, schema, path, defs)
    elif kind == "array":
        yield from _sized(len(value), schema, path, "Items")
        for number, item in enumerate(value):
            yield from _mismatches(item, schema.get("items", {}), f"{path}[{number}]", defs)
    elif kind == "string":
        yield from _sized(len(value), schema, path, "Length")
    elif kind in ("integer", "number") and not (
        schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf)
    ):
        yield f"{path}: {value} is out of bounds"


def _in_object(value: dict[str, Any], schema: Mapping[str, Any], path: str, defs: Mapping[str, Any]) -> Iterator[str]:
    fields = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{path}.{name}: missing"
    for name, inner in value.items():
        if name in fields:
            yield from _mismatches(inner, fields[name], f"{path}.{name}", defs)
        elif schema.get("additionalProperties") is False:
            yield f"{path}: has a field that the schema does not name"


def _sized(size: int, schema: Mapping[str, Any], path: str, what: str) -> Iterator[str]:
    if not schema.get(f"min{what}", 0) <= size <= schema.get(f"max{what}", math.inf):
        yield f"{path}: {size} {what.lower()} is out of bounds"


def _is_kind(value: Any, kind: str) -> bool:
    match kind:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_same(value: Any, other: Any) -> bool:
    """JSON equality: true is not 1."""
    return type(value) is type(other) and bool(value == other)
