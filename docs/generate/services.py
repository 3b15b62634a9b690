"""What the services say of themselves, which several pages show."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import services
from companyos.chassis import ProcessSettings

Manifest = dict[str, Any]


@cache
def manifests() -> list[Manifest]:
    """Return the manifest of every service, by name."""
    names = sorted(module.name for module in iter_modules(services.__path__) if module.ispkg)
    return [_manifest(name) for name in names]


def _manifest(name: str) -> Manifest:
    settings = ProcessSettings(
        database_url="postgresql://", redis_url="redis://", context_key="-" * 16, admin_token="-" * 16
    )
    found: Manifest = import_module(f"services.{name}.app").create_app(settings).state.manifest()
    return found
