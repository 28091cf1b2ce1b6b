"""The launcher's files are no package (a package named `packaging` would hide the library of that name)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))
