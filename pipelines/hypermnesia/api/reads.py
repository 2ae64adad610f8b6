"""What may be read of one home, for one user at a time: what routes and typed commands call."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hypermnesia.adapters.api_keys import ApiKey, ApiKeys
from hypermnesia.home_vault import open_secret
from hypermnesia.inspection.ownership import is_of_user
from hypermnesia.retrieval.typed import TypedReader

if TYPE_CHECKING:
    from hypermnesia.app import App

#: No stored user has a NUL in its name: asking for it opens the index and finds nothing.
_NOBODY = "\0"


class NotReadyError(RuntimeError):
    """Nothing is published yet, or what is published can't be read."""


class UnknownIdError(LookupError):
    """The user has nothing of that id, whether or not somebody else has."""


class ForbiddenError(RuntimeError):
    """The key, or this home, has no permission for it."""


class Reads:
    """Reads over one home. Calls may come from several threads."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._ready: str | None = None
        # made here, so that no two threads make one each
        self._parts = (app.lake, app.identity, app.asker, self.typed, self.keys)

    @cached_property
    def keys(self) -> ApiKeys:
        """The API keys."""
        return ApiKeys(self._app.home)

    @cached_property
    def typed(self) -> TypedReader:
        """Core view, procedures and resources."""
        app = self._app
        rows = app.settings.cache_rows
        return TypedReader(app.lake, app.index, app.asker.histories, app.embedder, cache_rows=rows)

    def check_ready(self) -> None:
        """Raises `NotReadyError` unless a generation is published and can be read."""
        published = self._app.index.published()
        with self._lock:
            if published is not None and published == self._ready:
                return
        try:
            self._app.asker.histories.get(_NOBODY)
        except Exception as error:  # whatever is wrong with it, it serves nobody
            raise NotReadyError("nothing is published yet, or it can't be read") from error
        with self._lock:
            self._ready = published

    def ask(self, user: str, question: str, **asked: Any) -> dict[str, Any]:
        """The object of `ask --json`; of a fallback's reason only what it means, not the store's own words."""
        self.check_ready()
        answer = self._app.asker.ask(user, question, **asked)
        if answer["fallback"]:
            answer["fallback"] = answer["fallback"].partition(":")[0]
        return answer

    def skill(self, user: str, task: str, agent: str | None = None) -> dict[str, Any]:
        """The object of `skills find --json`. Skills are read from the lake: no generation has to be published."""
        return self._app.skills.find(user, task, agent=agent)

    def show(self, user: str, identifier: str) -> dict[str, Any]:
        """What an id of the user is. Raises `UnknownIdError`."""
        self._need_own(user, identifier)
        try:
            return self._app.inspector().show(identifier, user)
        except LookupError as error:  # an anchor or frame that is not in force any more
            raise UnknownIdError(identifier) from error

    def trace(self, user: str, message_id: str) -> dict[str, Any]:
        """Every stage's verdict on a message of the user. Raises `UnknownIdError`."""
        if not message_id.startswith("msg_"):
            raise UnknownIdError(message_id)
        self._need_own(user, message_id)
        return self._app.inspector().trace(message_id)

    def open_secret(self, key: ApiKey, user: str, vault_id: str, reason: str) -> dict[str, Any]:
        """One secret with its value; every attempt is in the audit log, with the key's id.

        Raises `ForbiddenError` where the key or the home has no permission, `UnknownIdError` for no such secret.
        """
        is_permitted = key.may_read_vault and self._app.settings.vault_read
        by = f"API key {key.key_id}"
        try:
            return open_secret(self._app, vault_id, user, reason, by=by, is_permitted=key.may_read_vault)
        except LookupError as error:
            raise UnknownIdError(vault_id) from error
        except PermissionError as error:
            if is_permitted:  # by us; then the disk's
                raise
            raise ForbiddenError(vault_id) from error

    def _need_own(self, user: str, identifier: str) -> None:
        if not is_of_user(self._app.lake, user, identifier, self._app.settings.one_agent):
            raise UnknownIdError(identifier)
