"""The read API over HTTP: routes, and whose user a request is about (DESIGN 9)."""

from __future__ import annotations

import json
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Depends, FastAPI, Header, Query, Request, Response, Security
from fastapi.security import HTTPBearer
from pydantic import TypeAdapter, ValidationError

from hypermnesia.api import models
from hypermnesia.api.gate import Gate
from hypermnesia.api.models import AsOf, Limit, Question, SecretRequest, Text, User
from hypermnesia.api.problems import Problem, RequestProblem, add_problem_handlers, described
from hypermnesia.api.reads import Reads

VERSION = "1"
USER_HEADER = "Hypermnesia-User"

_USER = TypeAdapter(User)
_HeaderUser = Annotated[
    str | None, Header(alias=USER_HEADER, description="The user, for service keys: UTF-8, percent-encoded.")
]
_Auth = Security(HTTPBearer(auto_error=False, scheme_name="key", description="A key of `hypermnesia keys add`."))


def make_api(reads: Reads) -> FastAPI:
    """The API over some reads; every route but /healthz and /readyz needs a key."""
    api = FastAPI(
        title="Hypermnesia",
        version=VERSION,
        description="Evidence from long-term memory, for one user a request. Nothing can be changed here.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    add_problem_handlers(api)
    _add_probes(api, reads)
    _add_reads(api, reads)
    _add_ids(api, reads)
    _document_problems(api)
    api.add_middleware(Gate, check=reads.keys.check)
    return api


def _add_probes(api: FastAPI, reads: Reads) -> None:
    @api.get("/healthz", responses={200: {"model": models.State}})
    def healthz() -> Response:
        """Whether the server runs."""
        return _json({"status": "ok"})

    @api.get("/readyz", responses={200: {"model": models.State}, **described(503)})
    def readyz() -> Response:
        """Whether a generation is published and can be read."""
        reads.check_ready()
        return _json({"status": "ready"})


def _add_reads(api: FastAPI, reads: Reads) -> None:
    problems = described(401, 403, 413, 414, 422, 503)

    @api.post("/v1/ask", dependencies=[_Auth], responses={200: {"model": models.Answer}, **described(400), **problems})
    def ask(request: Request, body: Question, header: _Header) -> Response:
        """Evidence for a question, best first, and the messages that it came from."""
        user = _user(request, header, body.user)
        asked = body.model_dump(exclude={"question", "user"})
        return _json(reads.ask(user, body.question, **asked))

    @api.get("/v1/core", dependencies=[_Auth], responses={200: {"model": models.Core}, **problems})
    def core(user: _Named, as_of: _AsOf = None, limit: _Limit = None) -> Response:
        """The current view: what holds first, what was superseded or denied behind it."""
        reads.check_ready()
        return _json(reads.typed.core(user, as_of=as_of, limit=limit))

    @api.get("/v1/procedures", dependencies=[_Auth], responses={200: {"model": models.Procedures}, **problems})
    def procedures(user: _Named, task: _Text, as_of: _AsOf = None, limit: _Limit = None) -> Response:
        """The procedures nearest to a task description; none where none is near enough."""
        reads.check_ready()
        return _json(reads.typed.procedures(user, task, as_of=as_of, limit=limit))

    @api.get("/v1/resources", dependencies=[_Auth], responses={200: {"model": models.Resources}, **problems})
    def resources(user: _Named, query: _Text, as_of: _AsOf = None, limit: _Limit = None) -> Response:
        """Documents by title, section and text."""
        reads.check_ready()
        return _json(reads.typed.resources(user, query, as_of=as_of, limit=limit))

    @api.get("/v1/skills", dependencies=[_Auth], responses={200: {"model": models.SkillFound}, **problems})
    def skills(user: _Named, task: _Text, agent: _Agent = None) -> Response:
        """The skill for a task, as Markdown for an agent's prompt; null where none fits, since a wrong one harms."""
        return _json(reads.skill(user, task, agent))


def _add_ids(api: FastAPI, reads: Reads) -> None:
    problems = described(401, 403, 404, 413, 414, 422)

    @api.get("/v1/show/{id}", dependencies=[_Auth], responses={200: {"model": models.Shown}, **problems})
    def show(id: str, user: _Named) -> Response:
        """Anything of the user by its id: what it came from, what it supports."""
        return _json(reads.show(user, id))

    @api.get("/v1/trace/{message_id}", dependencies=[_Auth], responses={200: {"model": models.Trace}, **problems})
    def trace(message_id: str, user: _Named) -> Response:
        """Every stage's verdict on one message of the user."""
        return _json(reads.trace(user, message_id))

    @api.post(
        "/v1/vault/{vault_id}",
        dependencies=[_Auth],
        responses={200: {"model": models.Secret}, **described(400), **problems},
    )
    def open_secret(request: Request, vault_id: str, body: SecretRequest, header: _Header) -> Response:
        """One secret with its value, for keys that may read the vault; every attempt is logged."""
        user = _user(request, header, body.user)
        return _json(reads.open_secret(request.state.key, user, vault_id, body.reason))


def _user(request: Request, header: str | None, named: str | None = None) -> str:
    """Whom a request is about: the key's user, or the one that a service key's caller names.

    Raises `RequestProblem`; what it says does not depend on who there is.
    """
    key = request.state.key
    asked = {user for user in (named, header) if user is not None}
    if key.user is not None:
        if asked - {key.user}:
            raise RequestProblem("user", "this key is bound to one user, and it is not the one named", 403)
        return str(key.user)
    if not asked:
        raise RequestProblem("user", f"a service key names the user, in the header {USER_HEADER} or in a body's `user`")
    if len(asked) > 1:
        raise RequestProblem("user", "body and header name different users")
    return _valid(asked.pop())


def _valid(user: str) -> str:
    try:
        return _USER.validate_python(user)
    except ValidationError as error:
        raise RequestProblem("user", f"{USER_HEADER} is no user's name, or no UTF-8 that is percent-encoded") from error


def _decoded(header: _HeaderUser = None) -> str | None:
    """The header's user; what is no UTF-8 becomes half a surrogate pair, which is nobody's name."""
    return None if header is None else unquote(header, errors="surrogateescape")


_Header = Annotated[str | None, Depends(_decoded)]


def _named_user(request: Request, header: _Header) -> str:
    return _user(request, header)


_Named = Annotated[str, Depends(_named_user)]
_Text = Annotated[Text, Query()]
_Agent = Annotated[Text | None, Query(description="Only skills of this agent, and shared ones.")]
_AsOf = Annotated[AsOf | None, Query()]
_Limit = Annotated[Limit | None, Query()]


def _json(value: dict[str, Any]) -> Response:
    """As the command line prints it with --json."""
    content = json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    return Response(content, media_type="application/json")


def _document_problems(api: FastAPI) -> None:
    """Puts the problems' schema, which routes refer to, into the OpenAPI document."""
    made = api.openapi

    def openapi() -> dict[str, Any]:
        document = made()
        schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        document["components"]["schemas"] |= {**schema.pop("$defs", {}), "Problem": schema}
        return document

    api.openapi = openapi  # type: ignore[method-assign]
