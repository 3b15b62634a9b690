"""The settings of one process, read from the environment."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from companyos.sdk.addresses import address_flaw

from .store_urls import BUS_FORM, DATABASE_FORM, is_bus_url, is_database_url

TRACING_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
#: OpenTelemetry's variables that hold the collector's URL, the one that counts first.
COLLECTOR = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
SECRETS = (
    "database_url",
    "redis_url",
    "context_key",
    "admin_token",
    "operator_token",
    "trainer_token",
    "rollout_token",
    "grader_token",
    "validation_token",
    "salt",
)


class ConnectionSettings(BaseSettings):
    """Limits on the connections of each listener of a process."""

    # What an invalid setting holds may be a secret, and its error ends in a log.
    model_config = SettingsConfigDict(
        env_prefix="COMPANYOS_", env_ignore_empty=True, extra="ignore", hide_input_in_errors=True
    )

    max_connections: int = Field(
        4096,
        ge=1,
        description="Most connections of one listener; fewer if the limit of open files (`ulimit -n`) is low.",
    )
    head_s: float = Field(
        20.0, gt=0, description="Longest wait for a request's line and headers, in seconds; then 408."
    )
    body_s: float = Field(
        20.0,
        gt=0,
        description="Longest wait for a request's body, and for a client that reads no more of its answer, in seconds; "
        "a body that arrives at 1 KiB/s or faster may take longer.",
    )
    keep_alive_s: float = Field(
        75.0, gt=0, description="Seconds for which a connection without a request stays open."
    )


class ProcessSettings(ConnectionSettings):
    """Settings of one process, read from `COMPANYOS_*`; `…_FILE` names a file that holds a secret."""

    model_config = SettingsConfigDict(env_prefix="COMPANYOS_", extra="ignore")

    database_url: SecretStr = Field(description="PostgreSQL URL, with this process's own role.")
    redis_url: SecretStr = Field(description="Redis or Valkey URL of the event bus.")
    context_key: SecretStr = Field(
        min_length=16, description="Key that signs the context of calls and events between processes."
    )
    admin_token: SecretStr = Field(
        min_length=16, description="Token for `/admin`, held by the orchestrator only."
    )
    operator_token: SecretStr | None = Field(
        None,
        min_length=16,
        description="Opens `/metrics` and nothing else, for whoever watches the stack without training on it.",
    )
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(0, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    pool_size: int = Field(8, ge=1, le=64, description="Database connections of one process.")
    statement_s: float = Field(
        5.0, gt=0, description="Longest wait for the database's answer to a statement before 503, in seconds."
    )
    connection_s: float = Field(
        5.0,
        gt=0,
        description="Longest wait for a connection to the database, new or free, before 503, in seconds; "
        "opening one takes at least 2.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Lowest level to log."
    )
    real_kills: bool = Field(
        False,
        description="Evaluation mode: a service that chaos restarts, and a bus that it empties, are killed for real.",
    )
    tracing: bool = Field(
        False,
        description="Export a span for each step and reset, each call of a service below it, and the service's part of "
        "that, by OpenTelemetry, as `OTEL_EXPORTER_OTLP_ENDPOINT` and its other variables say; needs the extra "
        "`tracing`.",
    )

    @model_validator(mode="before")
    @classmethod
    def read_secret_files(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Read the file that `COMPANYOS_X_FILE` names into `x`, unless `x` itself is given.

        A secret that was read from a file by a shell or a platform may end with the end of its line. An empty
        file gives none.
        """
        for name in SECRETS:
            if isinstance(values.get(name), str):
                values[name] = values[name].strip()
            path = os.environ.get(f"COMPANYOS_{name.upper()}_FILE")
            if path and name in cls.model_fields and not values.get(name):
                content = _content(path, f"COMPANYOS_{name.upper()}_FILE")
                values.update({name: content} if content else {})
        return values

    @field_validator("database_url")
    @classmethod
    def refuse_a_url_of_no_database(cls, url: SecretStr) -> SecretStr:
        """Refuse a URL to which no connection can be attempted."""
        if not is_database_url(url.get_secret_value()):
            raise ValueError(DATABASE_FORM)
        return url

    @field_validator("redis_url")
    @classmethod
    def refuse_a_url_of_no_bus(cls, url: SecretStr) -> SecretStr:
        """Refuse a URL to which no connection can be attempted."""
        if not is_bus_url(url.get_secret_value()):
            raise ValueError(BUS_FORM)
        return url

    @model_validator(mode="after")
    def refuse_tracing_to_nowhere(self) -> Self:
        """Refuse to trace where OpenTelemetry is not installed, or its collector has no address."""
        if self.tracing and not all(map(_is_installed, TRACING_PACKAGES)):
            raise ValueError(
                "COMPANYOS_TRACING needs OpenTelemetry. Install it where the stack runs: "
                "pip install 'openenv-companyos[tracing]'"
            )
        for name in COLLECTOR if self.tracing else ():
            if (url := os.environ.get(name)) and (flaw := address_flaw(url.partition("?")[0])):
                raise ValueError(f"{name} {flaw}. Give a URL such as http://127.0.0.1:4318.")
        return self

    @property
    def database(self) -> dict[str, Any]:
        """The arguments of the process' pool of connections."""
        return {
            "url": self.database_url.get_secret_value(),
            "size": self.pool_size,
            "statement_s": self.statement_s,
            "connection_s": self.connection_s,
        }


def _content(path: str, variable: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig").strip()
    except OSError as failure:
        raise ValueError(f"{variable} is {path}, which cannot be read ({failure.strerror}).") from None
    except UnicodeDecodeError:
        raise ValueError(f"{variable} is {path}, which is no text in UTF-8.") from None


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
