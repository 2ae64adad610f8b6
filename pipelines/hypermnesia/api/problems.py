"""Errors as problem details (RFC 9457): what a caller can do something about, and nothing of how we are made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from hypermnesia.api.reads import ForbiddenError, NotReadyError, UnknownIdError

MEDIA_TYPE = "application/problem+json"

#: RFC 9110's words; Python's own differ by version.
TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    414: "URI Too Long",
    422: "Unprocessable Content",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


class FieldProblem(BaseModel):
    """One field that is wrong; `field` is its path, such as "body.question"."""

    model_config = ConfigDict(extra="forbid")

    field: str
    problem: str


class Problem(BaseModel):
    """A problem (RFC 9457); `errors` where several fields may be wrong."""

    model_config = ConfigDict(extra="forbid")

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] | None = None


class RequestProblem(ValueError):  # noqa: N818
    """A request that can't be answered as it is; `field` names what is wrong."""

    def __init__(self, field: str, problem: str, status: int = 422) -> None:
        super().__init__(problem)
        self.field, self.status = field, status


def problem(
    status: int, detail: str, errors: Sequence[FieldProblem] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """A response of that status; `type` is about:blank: the status says all there is."""
    content: dict[str, Any] = {
        "type": "about:blank",
        "title": TITLES[status],
        "status": status,
        "detail": detail,
    }
    if errors:
        content["errors"] = [error.model_dump() for error in errors]
    return Response(json.dumps(content), status, dict(headers or {}), MEDIA_TYPE)


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems of a route, for the OpenAPI document."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {status: {"description": TITLES[status], "content": {MEDIA_TYPE: {"schema": schema}}} for status in statuses}


def add_problem_handlers(api: FastAPI) -> None:
    """Every error of a route as a problem."""
    for kind, handler in _HANDLERS.items():
        api.add_exception_handler(kind, handler)


def _http(_: Request, error: Any) -> Response:
    details = {400: "the body is no JSON in UTF-8", 404: "no such path", 405: "the path has no such method"}
    return problem(error.status_code, details.get(error.status_code, str(error.detail)), headers=error.headers)


def _invalid(_: Request, error: Any) -> Response:
    """What is wrong with each field, without what was sent."""
    found = [FieldProblem(field=".".join(map(str, e["loc"])), problem=e["msg"]) for e in error.errors()]
    return problem(422, "the request is not valid", found)


def _refused(_: Request, error: Any) -> Response:
    return problem(error.status, str(error), [FieldProblem(field=error.field, problem=str(error))])


def _unknown(_: Request, __: Any) -> Response:
    """The same for an id of somebody else and one of nobody: it names neither."""
    return problem(404, "this user has nothing of that id")


def _forbidden(_: Request, __: Any) -> Response:
    return problem(403, "this key may not do that here")


def _not_ready(_: Request, __: Any) -> Response:
    return problem(503, "nothing can be read yet; try again", headers={"Retry-After": "5"})


def _failed(_: Request, __: Any) -> Response:
    return problem(500, "the request failed; the server's log says why")


_HANDLERS: dict[type[Exception], Any] = {
    HTTPException: _http,
    RequestValidationError: _invalid,
    RequestProblem: _refused,
    UnknownIdError: _unknown,
    ForbiddenError: _forbidden,
    NotReadyError: _not_ready,
    Exception: _failed,
}
