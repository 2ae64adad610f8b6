"""The task sessions of learners in the lake: found in conversations by their tool calls, without labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from hypermnesia.ports import Lake
from hypermnesia.rules.identity import Identity, bucket_of
from hypermnesia.rules.skills.sessions import Message, TaskSession, find_sessions
from hypermnesia.skill_view import Learner
from hypermnesia.views import Bucket

Sessions = dict[str, list[TaskSession]]


class SessionFinder:
    """Finds the sessions of each learner. `one_agent`: users that are declared to have one agent, by its name."""

    def __init__(self, lake: Lake, identity: Identity, one_agent: Mapping[str, Sequence[str]]) -> None:
        self._lake = lake
        self._identity = identity
        self._one_agent = one_agent
        self._opened: tuple[int, Sessions] | None = None

    def learners(self) -> Iterator[tuple[Learner, list[TaskSession]]]:
        """Every learner with its sessions, in a fixed order: users by bucket, then what is declared."""
        declared = {user for users in self._one_agent.values() for user in users}
        for number in self._lake.buckets("messages"):
            for user in sorted(self._bucket(number)):
                if user not in declared:
                    yield from self.learners_of(user)
        for name in sorted(self._one_agent):
            learner = self._shared(name)
            if sessions := self.of(learner):
                yield learner, sessions

    def learners_of(self, user: str) -> Iterator[tuple[Learner, list[TaskSession]]]:
        """The learners that read one user's sessions, without looking at those of anybody else."""
        shared = [name for name, users in sorted(self._one_agent.items()) if user in users]
        for name in shared:
            learner = self._shared(name)
            yield learner, self.of(learner)
        if not shared:
            own = self._bucket(bucket_of(user, self._lake.n_buckets)).get(user, [])
            for agent in sorted({session.agent for session in own}):
                yield Learner(user, agent, members=(user,)), [s for s in own if s.agent == agent]

    def _shared(self, name: str) -> Learner:
        return Learner(name, name, is_shared=True, members=tuple(sorted(set(self._one_agent[name]))))

    def of(self, learner: Learner) -> list[TaskSession]:
        """A learner's sessions: of all its members where it is declared, else of its user's agent."""
        found: list[TaskSession] = []
        for user in sorted(learner.members, key=lambda user: (bucket_of(user, self._lake.n_buckets), user)):
            sessions = self._bucket(bucket_of(user, self._lake.n_buckets)).get(user, [])
            found += [s for s in sessions if learner.is_shared or s.agent == learner.agent]
        return found

    def content_hash(self, session: TaskSession) -> str:
        """The revision of a session: of its messages' revisions."""
        parts = [part for m in session.messages for part in (m.message_id, m.content_hash)]
        return self._identity.make("content", *parts)

    def _bucket(self, number: int) -> Sessions:
        """The sessions of a bucket by user; the last bucket is kept."""
        if self._opened is None or self._opened[0] != number:
            self._opened = (number, self._read(number))
        return self._opened[1]

    def _read(self, number: int) -> Sessions:
        calls = self._lake.read("messages", columns=["conversation_id"], buckets=[number], equals={"kind": "tool_call"})
        conversations = set(calls["conversation_id"].to_pylist())
        if not conversations:
            return {}
        messages = Bucket(self._lake, self._identity, number).messages.filter(
            pl.col("conversation_id").is_in(conversations),
            ~pl.col("is_deleted").fill_null(False),
            pl.col("branch").fill_null("") == "",
        )
        return {
            str(user): find_sessions(map(_message, of_user.iter_rows(named=True)), self._identity.make)
            for (user,), of_user in messages.group_by("user_id", maintain_order=True)
        }


def owner_users(sessions: Iterable[TaskSession], learner: Learner, finder: SessionFinder) -> dict[str, str]:
    """The user of each session, by its id: rows of a session are its user's, whoever learns from it."""
    wanted = {session.session_id for session in sessions}
    users: dict[str, str] = {}
    for user in learner.members:
        own = Learner(learner.owner, learner.agent, learner.is_shared, (user,))
        users |= {s.session_id: user for s in finder.of(own) if s.session_id in wanted}
    return users


def _message(row: Mapping[str, Any]) -> Message:
    """A message without its attributes, which hold labels."""
    is_call = row["kind"] == "tool_call"
    return Message(
        message_id=row["message_id"],
        conversation_id=row["conversation_id"],
        kind=row["kind"],
        role=row["role"] or "",
        text=row["text"] or "",
        content_hash=row["content_hash"],
        native_id=row["native_id"],
        reply_to=row["reply_to"],
        at=row["said_at"].isoformat() if row["said_at"] else "",
        agent=(row["speaker"] or "") if is_call else "",
        source=row["source"] or "",
    )
