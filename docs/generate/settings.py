"""The page of settings."""

from pydantic_settings import BaseSettings

from companyos.chassis.settings import ProcessSettings
from companyos.embedded.settings import StackSettings, allowed_values
from orchestrator.runtime.settings import Settings

from .markdown import cell, document, table


def page() -> str:
    """Return the page."""
    text = (
        "Settings are environment variables. Each secret can also be read from a file: "
        "append `_FILE` to the name of the variable, and set it to the path."
    )
    of_all = "`companyos up` and `docker-compose.yml` read these for the whole stack."
    return document(
        "Settings",
        text,
        _fields("Stack", StackSettings, of_all),
        _fields("Services", ProcessSettings),
        _fields("Orchestrator", Settings),
    )


def _fields(title: str, settings: type[BaseSettings], *told: str) -> str:
    rows = [_setting(settings, name) for name in settings.model_fields]
    return "\n\n".join([f"## {title}", *told, table(["variable", "default", "allowed", "meaning"], rows)])


def _setting(settings: type[BaseSettings], name: str) -> str:
    field = settings.model_fields[name]
    variable = f"{settings.model_config.get('env_prefix', '')}{name}".upper()
    default = "required" if field.is_required() else "" if field.default is None else f"`{field.default}`"
    return f"| `{variable}` | {default} | {allowed_values(field)} | {cell(field.description or '')} |"
