"""The gate in front of every route: size limits and keys, before anything of a request is read (ASGI middleware)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastapi import HTTPException

from hypermnesia.adapters.api_keys import ApiKey
from hypermnesia.api.problems import problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY_BYTES = 64 * 1024
MOST_TARGET_BYTES = 16 * 1024  # path and query
OPEN_PATHS = frozenset({"/healthz", "/readyz"})

_TOO_LARGE = f"a body has at most {MOST_BODY_BYTES} bytes"
_HEADERS = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]


class Gate:
    """Lets through what has a key that is known; the key is then in `scope["state"]["key"]`."""

    def __init__(self, app: ASGIApp, check: Callable[[str], ApiKey | None]) -> None:
        self._app = app
        self._check = check

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers with 401, 413 or 414, or hands on with a body that can't grow over the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])

        async def send_private(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        if refused := self._refusal(scope, headers):
            await refused(scope, receive, send_private)
            return
        await self._app(scope, _counted(receive), send_private)

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> Any:
        """What refuses a request by its head, or None."""
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_TARGET_BYTES:
            return problem(414, f"path and query have more than {MOST_TARGET_BYTES} bytes")
        if scope["path"] not in OPEN_PATHS:
            scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
            key = self._check(token.strip()) if scheme.lower() == "bearer" else None
            if key is None:
                return problem(401, "a valid key is needed", headers={"WWW-Authenticate": "Bearer"})
            scope.setdefault("state", {})["key"] = key
        length = headers.get(b"content-length", b"0")
        return problem(413, _TOO_LARGE) if length.isdigit() and int(length) > MOST_BODY_BYTES else None


def _counted(receive: Receive) -> Receive:
    """The body, counted as it comes: one without a length, or with a wrong one, may be of any."""
    n_bytes = 0

    async def counted() -> Message:
        nonlocal n_bytes
        message = await receive()
        n_bytes += len(message.get("body", b""))
        if n_bytes > MOST_BODY_BYTES:
            raise HTTPException(413, _TOO_LARGE)
        return message

    return counted
