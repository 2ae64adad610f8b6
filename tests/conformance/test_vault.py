"""The vault's contract: what is sealed opens again, only under its user's key, and is gone without it."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hypermnesia.adapters.vault import KEY_FILE, KEYS_FOLDER, FileVault, read_vault_key
from hypermnesia.ports import Vault
from hypermnesia.rules.identity import Identity

IDS = Identity(b"k" * 32)
MASTER = b"a master key for tests"
SECRET = "hunter2 Grüße"


def make(folder: Path, master: bytes = MASTER) -> FileVault:
    return FileVault(folder, master, IDS, 64)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return make(tmp_path)


def test_what_is_sealed_opens_again(vault: Vault, tmp_path: Path) -> None:
    ciphertext, key_id = vault.seal("ann", "vlt_1", SECRET)
    assert SECRET.encode() not in ciphertext
    assert vault.open("ann", "vlt_1", key_id, ciphertext) == SECRET
    assert make(tmp_path).open("ann", "vlt_1", key_id, ciphertext) == SECRET
    again, same_key = vault.seal("ann", "vlt_1", SECRET)
    assert again != ciphertext and same_key == key_id, "a fresh nonce, the same key"


def test_users_have_keys_of_their_own(vault: Vault, tmp_path: Path) -> None:
    ciphertext, key_id = vault.seal("ann", "vlt_1", SECRET)
    _, other = vault.seal("ben", "vlt_1", SECRET)
    assert key_id != other
    with pytest.raises(LookupError):
        vault.open("ben", "vlt_1", key_id, ciphertext)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 and "ann" not in path.name for path in files)


def test_a_ciphertext_opens_at_its_own_row_only(vault: Vault) -> None:
    ciphertext, key_id = vault.seal("ann", "vlt_1", SECRET)
    with pytest.raises(ValueError, match="can't be opened"):
        vault.open("ann", "vlt_2", key_id, ciphertext)
    with pytest.raises(ValueError, match="can't be opened"):
        vault.open("ann", "vlt_1", key_id, ciphertext[:-1] + bytes([ciphertext[-1] ^ 1]))


def test_a_wrong_master_key_opens_nothing(vault: Vault, tmp_path: Path) -> None:
    ciphertext, key_id = vault.seal("ann", "vlt_1", SECRET)
    with pytest.raises(ValueError, match="can't be opened"):
        make(tmp_path, b"another master key!!").open("ann", "vlt_1", key_id, ciphertext)


def test_a_destroyed_key_forgets(vault: Vault, tmp_path: Path) -> None:
    ciphertext, key_id = vault.seal("ann", "vlt_1", SECRET)
    held = make(tmp_path)
    assert held.open("ann", "vlt_1", key_id, ciphertext) == SECRET
    assert vault.destroy("ann") and not vault.destroy("ann")
    for one in (vault, held):
        with pytest.raises(LookupError, match="forgotten"):
            one.open("ann", "vlt_1", key_id, ciphertext)
    fresh, new_key = held.seal("ann", "vlt_1", SECRET)
    assert new_key != key_id and vault.open("ann", "vlt_1", new_key, fresh) == SECRET
    with pytest.raises(LookupError, match="forgotten"):
        vault.open("ann", "vlt_1", key_id, ciphertext)


def test_an_empty_user_is_an_error(vault: Vault) -> None:
    for call in (lambda: vault.seal("", "vlt_1", SECRET), lambda: vault.destroy(" ")):
        with pytest.raises(ValueError, match="user is needed"):
            call()


SEAL = """
import sys
from pathlib import Path
from hypermnesia.adapters.vault import FileVault
from hypermnesia.rules.identity import Identity
vault = FileVault(Path(sys.argv[1]), sys.argv[2].encode(), Identity(b"k" * 32), 64)
print("ready", flush=True)
sys.stdin.readline()
for number in range(40):
    ciphertext, key_id = vault.seal(f"user {number}", "vlt_1", "hunter2")
    print(key_id, ciphertext.hex(), flush=True)
"""


def test_two_processes_share_a_user_s_first_key(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", SEAL, str(tmp_path), MASTER.decode()]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(arguments, **pipes) for _ in range(2)]
    for process in both:
        assert process.stdout and process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    vault = make(tmp_path)
    for process in both:
        out, _ = process.communicate(timeout=120)
        lines = [line.split() for line in out.splitlines()]
        assert len(lines) == 40
        for number, (key_id, ciphertext) in enumerate(lines):
            assert vault.open(f"user {number}", "vlt_1", key_id, bytes.fromhex(ciphertext)) == "hunter2"
    assert not [path for path in tmp_path.rglob(".*") if path.is_file()], "no draft is left"


def test_the_master_key_is_made_once_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = read_vault_key(tmp_path, None)
    assert "vault key" in capsys.readouterr().err
    assert read_vault_key(tmp_path, None) == key and capsys.readouterr().err == ""
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert key.decode() not in (tmp_path / KEYS_FOLDER / "key.check").read_text()
    with pytest.raises(ValueError, match="not the key that the vault"):
        read_vault_key(tmp_path, "another key for the vault")
    (tmp_path / KEY_FILE).unlink()
    with pytest.raises(ValueError, match="vault's key is missing"):
        read_vault_key(tmp_path, None)
