"""How long a test waits for what must come. It is long, since a crowded machine is no failure of the product."""

from typing import Final

PATIENCE_S: Final = 120.0
