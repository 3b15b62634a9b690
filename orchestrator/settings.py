"""Settings of the orchestrator: where its services are, how many episodes it carries, and who may come in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from companyos.chassis.settings import Settings as ProcessSettings


class Settings(ProcessSettings):
    """Read from `COMPANYOS_*`, as those of every process; a secret may also come from `…_FILE`."""

    # Frozen, because replicas must agree and nothing re-reads a setting.
    model_config = SettingsConfigDict(env_prefix="COMPANYOS_", extra="ignore", frozen=True)

    port: int = Field(8000, ge=0, le=65535, description="Port of the trainer door; 0 takes a free one.")
    trainer_token: SecretStr | None = Field(
        None, description="Opens the trainer door; required where it is published beyond loopback."
    )
    published_host: str | None = Field(
        None, description="Address the trainer door is really published on; `host` unless given."
    )
    open_door: bool = Field(
        False, description="Let anyone in without a token, wherever the door is published: for public demos."
    )
    max_sessions: int = Field(
        1024,
        ge=1,
        description="Most WebSockets of one process, and most JSON-RPC sessions over all replicas.",
    )
    services: Annotated[dict[str, str], NoDecode] = Field(
        description="The services: `name=http://host:port`, separated by commas."
    )
    salt: str = Field(
        "companyos-public", max_length=64, description="Key of every draw; a secret for private evaluation."
    )
    max_episodes: int = Field(20_000, ge=1, description="Most episodes open at once, over all replicas.")
    keep_episodes: int = Field(500, ge=0, description="Most finished episodes kept; the oldest go first.")
    idle_s: float = Field(
        24 * 3600.0,
        gt=0,
        description="An open episode nobody used for so long is ended; a snapshot that is not pinned is dropped.",
    )
    max_bases: int = Field(256, ge=1, description="Most starting companies kept loaded.")
    max_in_flight: int = Field(64, ge=1, description="Steps and resets worked on at once; others queue.")
    queue_s: float = Field(5.0, gt=0, description="Longest wait in that queue before 429.")
    settle_s: float = Field(5.0, gt=0, description="Longest wait for a step's events before 503.")
    patience_s: float = Field(
        20.0,
        ge=0,
        description="A failing step is tried again for at least so long before its episode is given up.",
    )
    call_s: float = Field(5.0, gt=0, description="Longest wait for one answer of a service before 503.")

    @field_validator("services", mode="before")
    @classmethod
    def read_services(cls, value: object) -> object:
        """Read `name=address,name=address`; the order is that of the tools an agent is shown."""
        if not isinstance(value, str):
            return value
        pairs = [pair.strip().partition("=") for pair in value.split(",") if pair.strip()]
        if any(not name.isidentifier() or not address for name, _, address in pairs):
            raise ValueError("write services as name=http://host:port, separated by commas")
        return {name: address.rstrip("/") for name, _, address in pairs}

    @property
    def reachable_at(self) -> str:
        """The address that decides whether the door needs a token."""
        return self.published_host or self.host
