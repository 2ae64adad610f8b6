"""Whose an id is: the wall in front of `show` and `trace` where a caller may see one user only (DESIGN 1)."""

from __future__ import annotations

from hypermnesia.inspection.show import PLACES
from hypermnesia.ports import Lake
from hypermnesia.rules.identity import bucket_of, need_user

#: A part that a split made is named by its decision alone.
_SPLIT = ("merges", "right_id")


def is_of_user(lake: Lake, user: str, identifier: str) -> bool:
    """Whether the user has something of this id.

    Only the user's own bucket is read: another user's id and one that nobody has are found missing by the same work,
    so that neither the answer nor its time tells them apart. False for what is no id.
    """
    bucket = bucket_of(need_user(user), lake.n_buckets)
    prefix = identifier[:3]
    if prefix not in PLACES:
        return False
    places = [PLACES[prefix], *([_SPLIT] if prefix in ("anc", "frm") else [])]
    for place in places:
        table, column = place[0], place[1]
        equals = {"user_id": user, column: identifier}
        if lake.read(table, columns=["bucket"], buckets=[bucket], equals=equals).num_rows:
            return True
    return False
