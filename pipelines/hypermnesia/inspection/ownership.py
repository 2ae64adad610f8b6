"""Whose an id is: the wall in front of `show` and `trace` where a caller may see one user only (DESIGN 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypermnesia.inspection.show import PLACES
from hypermnesia.ports import Lake
from hypermnesia.rules.identity import bucket_of, need_user
from hypermnesia.skill_view import SkillTables, owners_of

#: A part that a split made is named by its decision alone.
_SPLIT = ("merges", "right_id")
#: What learners own: with a shared agent its users have it, and a user who has the agent's name has not.
_LEARNED = ("skl", "edt")

OneAgent = Mapping[str, Sequence[str]]


def is_of_user(lake: Lake, user: str, identifier: str, one_agent: OneAgent) -> bool:
    """Whether the user has something of this id; a skill is had by those whom a search may give it to.

    Only the user's own bucket is read, and those of the agents that `one_agent` declares the user to share: another
    user's id and one that nobody has are found missing by the same work, so that neither the answer nor its time
    tells them apart. False for what is no id.
    """
    need_user(user)
    prefix = identifier[:3]
    if prefix in _LEARNED:
        return _is_learned(lake, user, identifier, one_agent)
    if prefix not in PLACES:
        return False
    bucket = bucket_of(user, lake.n_buckets)
    places = [PLACES[prefix], *([_SPLIT] if prefix in ("anc", "frm") else [])]
    for table, column in places:
        equals = {"user_id": user, column: identifier}
        columns = ["skill_id"] if prefix == "use" else ["bucket"]
        found = lake.read(table, columns=columns, buckets=[bucket], equals=equals)
        if found.num_rows:
            return prefix != "use" or _is_learned(lake, user, found["skill_id"][0].as_py(), {})
    return False


def _is_learned(lake: Lake, user: str, identifier: str, one_agent: OneAgent) -> bool:
    tables, (table, column) = SkillTables(lake), PLACES[identifier[:3]]
    return any(
        row["is_shared"] == is_shared
        for owner, is_shared in owners_of(user, one_agent)
        for row in tables.rows(table, owner, **{column: identifier})
    )
