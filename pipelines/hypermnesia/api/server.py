"""The API on a socket: uvicorn, loopback unless told otherwise."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Callable

from hypermnesia.api.reads import Reads

BACKLOG = 2_048  # as uvicorn's own


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone; a name other than localhost may be anything."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens there (port 0: any free one). Raises `OSError` naming the place."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        raise OSError(f"can't listen on {host} port {port}: {error.strerror or error}") from error
    return made


def serve(reads: Reads, bound: socket.socket, say: Callable[[str], None]) -> None:
    """Serves until a signal ends it; requests that run are answered first. Logs hold no question and no address."""
    import uvicorn

    from hypermnesia.api.http import make_api

    config = uvicorn.Config(
        make_api(reads), lifespan="off", access_log=False, server_header=False, log_level="warning", proxy_headers=False
    )
    host, port = bound.getsockname()[:2]
    say(f"serving on http://{f'[{host}]' if ':' in host else host}:{port}")
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn hands on the signal that ended it
        uvicorn.Server(config).run(sockets=[bound])
