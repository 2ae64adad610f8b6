"""Commands of the read API: serve, and its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.frame import command, main, print_json

if TYPE_CHECKING:
    from hypermnesia.adapters.api_keys import ApiKey, ApiKeys
    from hypermnesia.app import App


@command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes any free one.")
@click.option("--allow-remote", is_flag=True, help="Needed for a host that other machines reach; put TLS in front.")
def serve(app: App, host: str, port: int, allow_remote: bool, as_json: bool) -> None:  # noqa: ARG001
    """The read API over HTTP; it writes nothing to the lake. Keys: `hypermnesia keys add`."""
    from hypermnesia.api.reads import Reads
    from hypermnesia.api.server import bound_socket, is_loopback
    from hypermnesia.api.server import serve as run

    if not allow_remote and not is_loopback(host):
        raise click.UsageError(f"{host} may be reached by other machines: say --allow-remote, and put TLS in front")
    reads = Reads(app)
    with bound_socket(host, port) as bound:
        run(reads, bound, lambda line: click.echo(line, err=True))


@main.group("keys")
def keys() -> None:
    """Keys of the read API: each is bound to one user, or is a service's, which names the user of each request."""


@command("add", group=keys)
@click.option("--user", help="The one user whose memory the key reads.")
@click.option("--service", is_flag=True, help="A service's key: each request names its user.")
@click.option("--name", default="", help="What the key is for.")
@click.option("--vault", is_flag=True, help="It may read secrets too, where HYPERMNESIA_VAULT_READ permits it.")
def add(app: App, user: str | None, service: bool, name: str, vault: bool, as_json: bool) -> None:
    """A new key; its token is shown once and kept nowhere."""
    if service == (user is not None):
        raise click.UsageError("give --user USER or --service")
    key, token = _keys(app).add(user, name=name, may_read_vault=vault)
    if as_json:
        print_json({**_shown(key), "token": token})
        return
    click.echo(token)
    click.echo(f"key {key.key_id} for {_whose(key)}: this is the only time that its token is shown", err=True)


@command("list", group=keys)
def list_keys(app: App, as_json: bool) -> None:
    """Every key, without tokens."""
    rows = _keys(app).all()
    if as_json:
        print_json([_shown(key) for key in rows])
        return
    for key in rows:
        words = [key.key_id, _whose(key), key.name, "vault" if key.may_read_vault else "", key.created_at]
        words.append(f"revoked {key.revoked_at}" if key.revoked_at else "")
        click.echo("  ".join(word for word in words if word))


@command("revoke", group=keys)
@click.argument("key_id")
def revoke(app: App, key_id: str, as_json: bool) -> None:
    """A key opens nothing from now on; a running server follows."""
    key = _keys(app).revoke(key_id)
    print_json(_shown(key)) if as_json else click.echo(f"{key.key_id} was revoked at {key.revoked_at}")


def _keys(app: App) -> ApiKeys:
    from hypermnesia.adapters.api_keys import ApiKeys

    return ApiKeys(app.home)


def _whose(key: ApiKey) -> str:
    return "a service" if key.user is None else f"user {key.user}"


def _shown(key: ApiKey) -> dict[str, Any]:
    names = ("key_id", "user", "is_service", "name", "may_read_vault", "created_at", "revoked_at")
    return {name: getattr(key, name) for name in names}
