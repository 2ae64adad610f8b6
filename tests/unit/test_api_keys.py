"""API keys: what a token opens, what the file holds, and how others' changes are followed."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hypermnesia.adapters.api_keys import KEYS_FILE, ApiKeys


def test_a_token_opens_its_key_alone(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path)
    ann, token = keys.add("ann", name="laptop")
    service, other = keys.add(None, may_read_vault=True)
    assert keys.check(token) == ann and keys.check(other) == service
    assert (ann.is_service, service.is_service, service.may_read_vault) == (False, True, True)
    secret = token.rpartition(f"hm_{ann.key_id}_")[2]
    wrong = ["", "hm", "hm__", f"hm_{ann.key_id}_", f"hm_{service.key_id}_{secret}", token[:-1], token + "x"]
    wrong += [token.upper(), f" {token}", f"xx_{ann.key_id}_{secret}", "hm_\ud800_x", ann.token_hash]
    assert [keys.check(one) for one in wrong] == [None] * len(wrong)


def test_a_revoked_key_stays_and_opens_nothing(tmp_path: Path) -> None:
    keys, server = ApiKeys(tmp_path), ApiKeys(tmp_path)
    key, token = keys.add("ann")
    assert server.check(token) == key
    revoked = keys.revoke(key.key_id)
    assert server.check(token) is None and keys.check(token) is None
    assert keys.revoke(key.key_id) == revoked and server.all() == [revoked]
    with pytest.raises(LookupError, match="no key"):
        keys.revoke("00000000")


def test_a_file_that_is_gone_opens_nothing(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path)
    _, token = keys.add("ann")
    (tmp_path / KEYS_FILE).unlink()
    assert keys.check(token) is None and keys.all() == []


@pytest.mark.parametrize("mode", [0o640, 0o602, 0o644])
def test_a_file_that_others_may_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    keys = ApiKeys(tmp_path)
    _, token = keys.add("ann")
    (tmp_path / KEYS_FILE).chmod(mode)
    with pytest.raises(PermissionError, match="chmod 600"):
        keys.check(token)


@pytest.mark.parametrize("user", ["", " ", "\t"])
def test_an_empty_user_has_no_key(tmp_path: Path, user: str) -> None:
    with pytest.raises(ValueError, match="user"):
        ApiKeys(tmp_path).add(user)
    assert not (tmp_path / KEYS_FILE).exists()


def test_keys_of_unusual_users_are_kept_as_they_are(tmp_path: Path) -> None:
    users = ["ann", "Ann", "ann'", "a\nb", "用户 1", "x" * 300]
    tokens = {user: ApiKeys(tmp_path).add(user)[1] for user in users}
    for user, token in tokens.items():
        key = ApiKeys(tmp_path).check(token)
        assert key is not None and key.user == user


def test_keys_added_at_once_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: ApiKeys(tmp_path).add(f"user {n}"), range(24)))
    assert {key.key_id for key in ApiKeys(tmp_path).all()} == {key.key_id for key, _ in made}
    content = (tmp_path / KEYS_FILE).read_text()
    assert not [token for _, token in made if token in content] and len(json.loads(content)["keys"]) == 24
    assert sorted(path.name for path in tmp_path.iterdir()) == [".api_keys.lock", KEYS_FILE]
