"""The commands that show results to people."""

from pathlib import Path
from typing import Final

#: Where `companyos run` writes unless told otherwise.
DEFAULT_RUNS: Final = Path("runs")
