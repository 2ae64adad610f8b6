"""The fixtures' folder can be imported: `from tests.fixtures import ...`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
