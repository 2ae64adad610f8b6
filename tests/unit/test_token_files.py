"""Token files beside the vector store: one user's tokens alone, changed and dropped with their rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hypermnesia.adapters import token_files
from hypermnesia.adapters.token_files import TokenDraft, read_user_tokens

USERS = [f"user-{n}" for n in range(70)]  # more than there are partitions


def test_users_of_one_partition_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_files, "BATCH_ROWS", 2)
    draft = TokenDraft(tmp_path)
    for user in USERS:
        for n in range(5):
            draft.put(user, f"{user}/{n}", f"{user} {n}".encode())
    draft.write()
    for user in USERS:
        assert read_user_tokens(tmp_path, user) == {f"{user}/{n}": f"{user} {n}".encode() for n in range(5)}
    assert read_user_tokens(tmp_path, "user-70") == {}
    assert read_user_tokens(tmp_path / "elsewhere", "user-1") == {}


def test_an_empty_user_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="user"):
        read_user_tokens(tmp_path, "")


CHANGES = st.lists(st.tuples(st.sampled_from(USERS[:6]), st.integers(0, 3), st.binary(max_size=4) | st.none()))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(st.lists(CHANGES, max_size=3))
def test_the_files_hold_what_was_put_and_not_dropped(tmp_path_factory: pytest.TempPathFactory, drafts: list) -> None:
    store = tmp_path_factory.mktemp("store")
    wanted: dict[tuple[str, str], bytes] = {}
    for changes in drafts:
        draft = TokenDraft(store)
        for user, n, tokens in changes:
            row_id = f"{user}/{n}"
            if tokens is None:
                draft.drop([row_id])
            else:
                draft.put(user, row_id, tokens)
            wanted[user, row_id] = tokens or b""
        draft.write()
    for user in USERS[:6]:
        expected = {row_id: tokens for (owner, row_id), tokens in wanted.items() if owner == user and tokens}
        assert read_user_tokens(store, user) == expected


def test_files_that_a_published_generation_shares_are_never_written(tmp_path: Path) -> None:
    first = TokenDraft(tmp_path / "one")
    (tmp_path / "one").mkdir()
    first.put("ann", "r1", b"old")
    first.write()
    (path,) = (tmp_path / "one" / token_files.FOLDER).iterdir()
    (tmp_path / "two" / token_files.FOLDER).mkdir(parents=True)
    (tmp_path / "two" / token_files.FOLDER / path.name).hardlink_to(path)
    second = TokenDraft(tmp_path / "two")
    second.put("ann", "r1", b"new")
    second.write()
    assert read_user_tokens(tmp_path / "one", "ann") == {"r1": b"old"}
    assert read_user_tokens(tmp_path / "two", "ann") == {"r1": b"new"}
