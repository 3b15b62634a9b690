"""CompanyOS: a company for agents to work in, with real services and exact reproducibility."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from companyos.version import __version__

if TYPE_CHECKING:
    from companyos.client import CompanyosEnv

__all__ = ["CompanyosEnv", "__version__"]

_HOMES = {"CompanyosEnv": "companyos.client"}


def __getattr__(name: str) -> Any:
    # Loaded on first use, so `import companyos` does not import an HTTP client that it may never need.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
