"""The API's OpenAPI document as a file of the repository: `python -m hypermnesia.api.openapi` writes it again."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from hypermnesia.api.reads import Reads

DOCUMENT = Path(__file__).with_name("openapi.json")


def document() -> str:
    """The document of the routes as they are now; no home is needed to describe them."""
    from hypermnesia.api.http import make_api

    nobody_reads = cast("Reads", SimpleNamespace(keys=SimpleNamespace(check=None)))
    return json.dumps(make_api(nobody_reads).openapi(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
