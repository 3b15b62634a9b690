"""The settings of a stack, and a check of all its processes' settings before they start."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

from companyos.cells.names import CELL_NAME

from .errors import Misuse
from .programs.patience import LIMIT_S, STALL_S

PREFIX: Final = "COMPANYOS_"
TRAINER_TOKEN: Final = f"{PREFIX}TRAINER_TOKEN"
#: Names of other programs under which a setting may be given as well.
OTHER_NAMES: Final = {f"{PREFIX}VALIDATION_TOKEN": "OPENENV_VALIDATION_TOKEN"}
LOOPBACK: Final = "127.0.0.1"
#: Settings that the stack itself gives to every process. The others can be checked before a start.
GIVEN: Final = {
    "database_url": "postgresql://",
    "redis_url": "redis://",
    "context_key": "-" * 16,
    "admin_token": "-" * 16,
    "services": {},
}
#: Settings with these suffixes are never shown, and are compared by digest.
SECRET_ENDINGS: Final = ("TOKEN", "KEY", "SALT", "URL", "PASSWORD")
#: Similarity from which an unknown name counts as a misspelling.
ALIKE: Final = 0.9
NUMBERS: Final = {int: "a whole number", float: "a number"}
BOUNDS: Final = {
    "ge": "from {}",
    "gt": "above {}",
    "le": "to {}",
    "min_length": "at least {} characters",
    "max_length": "at most {} characters",
}

Model = TypeVar("Model", bound=BaseSettings)


class StackSettings(BaseSettings):
    """Settings of `companyos up` and of Compose, read from `COMPANYOS_*`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="ignore")

    home: Path = Field(Path("~/.companyos"), description="Folder of the stack's data, logs and secrets.")
    durability: Literal["fast", "full"] = Field(
        "fast",
        description="`full` waits for the disk at each commit; with `fast` a crash may lose the latest commits.",
    )
    calm_s: float = Field(
        30.0,
        ge=0,
        description="Seconds within which repeated exits of a process increase its restart delay.",
    )
    start_timeout_s: float = Field(
        LIMIT_S,
        gt=0,
        description="Longest time in seconds that one process may take to start, while it makes progress.",
    )
    start_stall_s: float = Field(
        STALL_S,
        gt=0,
        description="Seconds without a log line or processor time after which a start is given up.",
    )
    drain_s: float = Field(
        0.0,
        ge=0,
        description="Longest time in seconds for which a stack that is asked to stop goes on with its open episodes, "
        "without resets; a second request stops it at once.",
    )
    log_mb: int = Field(
        20, ge=1, description="Megabytes from which a log is set aside as `<name>.log.1` and begun anew."
    )
    pg_bin: Path | None = Field(
        None, description="Folder of `initdb` and `postgres`, if not those of the wheel."
    )
    valkey_bin: Path | None = Field(
        None, description="Path of the Valkey or Redis server, if not that of the wheel."
    )
    prepared: Path | None = Field(
        None, description="Folder filled by `companyos container prepare`, from which new homes start faster."
    )
    host: str = Field(LOOPBACK, description="Address of the trainer API.")
    bind: str = Field("127.0.0.1", description="Compose: address on which the trainer API is published.")
    agent_bind: str = Field("127.0.0.1", description="Compose: address on which the agent API is published.")
    port: int = Field(8000, ge=0, le=65535, description="Port of the trainer API.")
    agent_host: str | None = Field(
        None, description="Address of the agent API; else that of the trainer API."
    )
    agent_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Port of the agent API; else that of the home's earlier starts, or at the first one 8080, or a "
        "free one if that is taken.",
    )
    cell: str = Field(
        "",
        pattern=f"^({CELL_NAME})?$",
        description="The stack's name among several, a label of its metrics.",
    )
    replicas: int = Field(
        1, ge=1, le=16, description="Number of processes of each service and of the orchestrator."
    )


def stack_settings() -> StackSettings:
    """Read the settings of the stack.

    Raises:
        Misuse: A setting is invalid; the message names it and the allowed values.
    """
    return _read(StackSettings)


def check_given_settings() -> None:
    """Check the settings of the processes to be started. Imports nothing if none is set.

    Raises:
        Misuse: A setting is invalid or misspelled, or other machines could reach the trainer API without a
            token.
    """
    strange = _set_variables() - _variables(StackSettings)
    if strange or any(map(os.environ.get, OTHER_NAMES.values())):
        from orchestrator.runtime.settings import Settings

        _refuse_misspelt(strange, _variables(Settings) | _variables(StackSettings))
        _read(Settings, **GIVEN)
    if stack_settings().host != LOOPBACK:
        _refuse_unprotected(**GIVEN)


def check_settings(name: str) -> None:
    """Check the complete settings of one process.

    Raises:
        Misuse: A setting is missing or invalid, or other machines could reach the trainer API without a
            token.
    """
    if name == "orchestrator":
        _refuse_unprotected()
    else:
        from companyos.chassis.settings import ProcessSettings

        _read(ProcessSettings)


def settings_in_force() -> dict[str, str]:
    """Return the settings given to this process, by variable; secrets as digests."""
    chosen = _set_variables() - {"COMPANYOS_HOME", "COMPANYOS_PORT", "COMPANYOS_REPLICAS"}
    return {name: _shown(name, os.environ[name]) for name in sorted(chosen)}


def given_trainer_token() -> str | None:
    """Return the trainer token that was set, itself or by its file; the processes report a file that is unreadable."""
    token = os.environ.get(TRAINER_TOKEN, "").strip()
    if not token and (path := os.environ.get(f"{TRAINER_TOKEN}_FILE")):
        with suppress(OSError, UnicodeDecodeError):
            token = Path(path).read_text(encoding="utf-8-sig").strip()
    return token or None


def ignored_settings(running: Mapping[str, str]) -> list[str]:
    """Return this process's settings, as NAME=value, with which the running stack was not started."""
    differing = {name: value for name, value in settings_in_force().items() if running.get(name) != value}
    if not differing:
        return []
    from orchestrator.runtime.settings import Settings

    defaults = {**_defaults(Settings), **_defaults(StackSettings)}
    return [
        f"{name}={value}"
        for name, value in differing.items()
        if name in defaults and (name in running or value != defaults[name])
    ]


def allowed_values(field: FieldInfo) -> str:
    """Describe the values that a setting accepts, or return an empty string if it accepts any text."""
    if get_origin(field.annotation) is Literal:
        return ", ".join(map(str, get_args(field.annotation)))
    if field.annotation is bool:
        return "true, false"
    kind = [text for number, text in NUMBERS.items() if field.annotation is number]
    return " ".join([*kind, *_bounds(field)])


def _bounds(field: FieldInfo) -> Iterator[str]:
    for name, words in BOUNDS.items():
        yield from (words.format(getattr(one, name)) for one in field.metadata if hasattr(one, name))


def _read(model: type[Model], **given: Any) -> Model:
    try:
        return model(**given)
    except ValidationError as failure:
        raise Misuse("\n".join(_complaints(failure, model))) from None


def _complaints(failure: ValidationError, model: type[BaseSettings]) -> Iterator[str]:
    """Yield a sentence for each missing or invalid setting."""
    for error in failure.errors():
        if not error["loc"]:
            yield error["msg"].removeprefix("Value error, ")
            continue
        name = str(error["loc"][0])
        variable, field = _variable_of(name), model.model_fields[name]
        if error["type"] == "missing":
            yield f"{variable} is not set. {field.description}"
        else:
            wanted = allowed_values(field) or error["msg"].removeprefix("Value error, ")
            yield f"{variable} is {_shown(variable, str(error['input']))}. Allowed: {wanted}."


def _variable_of(name: str) -> str:
    """Return the variable that a setting was read from, or that it is to be given by."""
    variable = f"{PREFIX}{name.upper()}"
    other = OTHER_NAMES.get(variable)
    return other if other and os.environ.get(other) and not os.environ.get(variable) else variable


def _refuse_unprotected(**given: Any) -> None:
    """Read the orchestrator's settings; refuse to open the trainer API to other machines without a token."""
    from orchestrator.http.messages.guard import TrainerApiUnprotected, require_token
    from orchestrator.runtime.settings import Settings

    settings = _read(Settings, **given)
    token = settings.trainer_token.get_secret_value() if settings.trainer_token else None
    try:
        if not settings.open_access:
            require_token(settings.reachable_at, token)
    except TrainerApiUnprotected as refusal:
        raise Misuse(str(refusal)) from None


def _refuse_misspelt(variables: Iterable[str], known: set[str]) -> None:
    """Refuse names that resemble a setting's. Any other variable may belong to another program."""
    for variable in sorted(name.removesuffix("_FILE") for name in variables):
        meant = get_close_matches(
            variable.removeprefix(PREFIX), [name.removeprefix(PREFIX) for name in known], 1, ALIKE
        )
        if meant and f"{PREFIX}{meant[0]}" != variable:
            raise Misuse(f"{variable} is not a setting. Did you mean {PREFIX}{meant[0]}?")


def _shown(variable: str, value: str) -> str:
    if variable.endswith(SECRET_ENDINGS):
        return f"(secret {blake2b(value.encode(), digest_size=4).hexdigest()})"
    return value


def _set_variables() -> set[str]:
    return {name for name, value in os.environ.items() if name.startswith(PREFIX) and value}


def _variables(model: type[BaseSettings]) -> set[str]:
    return {f"{PREFIX}{name.upper()}" for name in model.model_fields}


def _defaults(model: type[BaseSettings]) -> dict[str, str]:
    fields = model.model_fields.items()
    return {f"{PREFIX}{name.upper()}": str(field.default) for name, field in fields}
