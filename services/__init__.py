"""The business services, each in a package that knows nothing of the others."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


@cache
def applications() -> dict[str, Any]:
    """Return the application of every service by name. They have settings that lead nowhere."""
    from companyos.chassis import ProcessSettings

    settings = ProcessSettings.model_validate(
        {
            "database_url": "postgresql://",
            "redis_url": "redis://",
            "context_key": "-" * 16,
            "admin_token": "-" * 16,
        }
    )
    names = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
    return {name: import_module(f"services.{name}.app").create_app(settings) for name in names}


@cache
def manifests() -> list[dict[str, Any]]:
    """Return the manifest of every service, by name: its tools, its errors, its events, its faults."""
    return [application.state.manifest() for application in applications().values()]
