"""Settings of the orchestrator: its services' addresses, the number of episodes, and access."""

from __future__ import annotations

import os
from socket import gethostname
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from companyos.cells.names import CELL_NAME
from companyos.chassis.settings import ProcessSettings
from companyos.sdk.addresses import address_flaw

from .guarantees import PUBLIC_SALT, Exposure, check_guarantees


class Settings(ProcessSettings):
    """Settings from `COMPANYOS_*`, as for every process; a secret may also come from a file (`…_FILE`)."""

    # Frozen, because replicas must agree and settings are read only once.
    model_config = SettingsConfigDict(env_prefix="COMPANYOS_", extra="ignore", frozen=True)

    port: int = Field(8000, ge=0, le=65535, description="Port of the trainer API; 0 takes a free one.")
    agent_host: str | None = Field(None, description="Address of the agent API; else `host`.")
    agent_port: int = Field(8080, ge=0, le=65535, description="Port of the agent API; 0 takes a free one.")
    agent_url: str | None = Field(
        None,
        description="URL at which agents reach the agent API, where a proxy publishes it; else that of its port.",
    )
    allowed_hosts: str = Field(
        "",
        description="Public host names at which agents reach the agent API, separated by commas, beside those in "
        "`COMPANYOS_AGENT_URL`, `COMPANYOS_AGENT_HOST` and `COMPANYOS_PUBLISHED_HOST`; `*` allows any.",
    )
    trainer_token: SecretStr | None = Field(
        None, description="Opens the trainer API; required where that is published beyond loopback."
    )
    rollout_token: SecretStr | None = Field(
        None,
        min_length=16,
        description="Opens what plays episodes (reset, step, state, close, also in batches, on sockets and by MCP) and "
        "the load of the stack, and nothing else, for rollout workers of a training; needs a trainer token.",
    )
    grader_token: SecretStr | None = Field(
        None,
        min_length=16,
        description="Opens the reading of episodes, grades, traces and states and the socket `/observe`, and nothing "
        "else, for whoever grades or watches without training; needs a trainer token.",
    )
    validation_token: SecretStr | None = Field(
        None,
        min_length=32,
        max_length=256,
        description="Opens a socket's telemetry to `openenv validate`, which sets it as `OPENENV_VALIDATION_TOKEN`; "
        "closed without it.",
    )
    published_host: str | None = Field(
        None,
        description="Address at which the trainer API is published, where a proxy publishes it; else `host`.",
    )
    open_access: bool = Field(
        False,
        description="Let anyone use the trainer API without a token wherever it is published: for public demos.",
    )
    require: str = Field(
        "",
        description="Properties that must hold, or the start is refused, separated by commas: `asset_isolation`, "
        "`control_plane_isolation`, `egress_control`, `privilege_drop` (OpenEnv RFC 009).",
    )
    one_port: bool = Field(
        False,
        description="Serve the agent API below `/agent` on the trainer API's port too, where only one port is "
        "published; needs a trainer token.",
    )
    cell: str = Field(
        "",
        pattern=f"^({CELL_NAME})?$",
        description="Name of this stack among several that are used as one; ids that it makes begin with it. "
        "Lower-case letters, digits and hyphens.",
    )
    max_sessions: int = Field(
        1024,
        ge=1,
        description="Most WebSockets of one process, and most JSON-RPC sessions over all replicas.",
    )
    services: Annotated[dict[str, str], NoDecode] = Field(
        description="The services: `name=http://host:port`, separated by commas."
    )
    # Used by `companyos.sdk.scenario` in every process that plays; defined here to be documented with the others.
    scenarios: str = Field(
        "", description="Scenario folders of your own, or folders of such, separated as in PATH."
    )
    salt: str = Field(
        PUBLIC_SALT, max_length=64, description="Key of every draw; a secret for private evaluation."
    )
    max_episodes: int = Field(20_000, ge=1, description="Most episodes open at once, over all replicas.")
    keep_episodes: int = Field(500, ge=0, description="Most finished episodes kept; the oldest go first.")
    idle_s: float = Field(
        24 * 3600.0,
        gt=0,
        description="An open episode idle for so many seconds is ended; a snapshot that is not pinned is dropped.",
    )
    max_bases: int = Field(256, ge=1, description="Most starting companies kept loaded.")
    max_in_flight: int = Field(64, ge=1, description="Steps and resets in progress at once; others queue.")
    queue_s: float = Field(5.0, gt=0, description="Longest wait in that queue before 429, in seconds.")
    settle_s: float = Field(5.0, gt=0, description="Longest wait for a step's events before 503, in seconds.")
    generation_s: float = Field(
        30.0, gt=0, description="Longest time that a scenario may take to generate a company, in seconds."
    )
    patience_s: float = Field(
        20.0,
        ge=0,
        description="Seconds for which a failing step is retried before its episode is invalid.",
    )
    call_s: float = Field(
        5.0, gt=0, description="Longest wait for one answer of a service before 503, in seconds."
    )

    @field_validator("services", mode="before")
    @classmethod
    def read_services(cls, value: object) -> object:
        """Parse `name=address,name=address`; the order is that of the agent's tools."""
        if not isinstance(value, str):
            return value
        pairs = [pair.strip().partition("=") for pair in value.split(",") if pair.strip()]
        is_read = all(name.isidentifier() and not address_flaw(address) for name, _, address in pairs)
        if not is_read or not 0 < len(pairs) == len({name for name, _, _ in pairs}):
            raise ValueError("write services as name=http://host:port, each once, separated by commas")
        return {name: address.rstrip("/") for name, _, address in pairs}

    @field_validator("agent_url")
    @classmethod
    def refuse_an_address_without_a_server(cls, url: str | None) -> str | None:
        """Refuse an address that no agent could use."""
        if url is not None and (flaw := address_flaw(url)):
            raise ValueError(f"a URL such as https://agents.example:8443; this one {flaw}")
        return url

    @model_validator(mode="before")
    @classmethod
    def read_openenv_variables(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Read the token that OpenEnv's validator sets under a name of its own, unless ours is set."""
        if token := os.environ.get("OPENENV_VALIDATION_TOKEN"):
            values.setdefault("validation_token", token)
        return values

    @model_validator(mode="after")
    def refuse_agents_beside_an_open_trainer_api(self) -> Self:
        """Refuse to send agents to a port where the whole trainer API is open to them."""
        if self.one_port and not (self.trainer_token and self.trainer_token.get_secret_value()):
            raise ValueError(
                "COMPANYOS_ONE_PORT leads agents to the trainer API's port. Set COMPANYOS_TRAINER_TOKEN (or "
                "COMPANYOS_TRAINER_TOKEN_FILE), so that they can use nothing there but the agent API."
            )
        return self

    @model_validator(mode="after")
    def refuse_narrow_tokens_that_restrict_nothing(self) -> Self:
        """Refuse a narrower token if no other is required, or if it is the same as another."""
        narrower = {
            "COMPANYOS_ROLLOUT_TOKEN": self.rollout_token,
            "COMPANYOS_GRADER_TOKEN": self.grader_token,
        }
        others = {"COMPANYOS_TRAINER_TOKEN": self.trainer_token}
        for name, token in narrower.items():
            if token is None:
                continue
            if not (self.trainer_token and self.trainer_token.get_secret_value()):
                raise ValueError(
                    f"{name} restricts its holders, but the trainer API is open without a token. Set "
                    "COMPANYOS_TRAINER_TOKEN (or COMPANYOS_TRAINER_TOKEN_FILE) as well."
                )
            for other in (other for other, known in others.items() if known == token):
                raise ValueError(f"{name} and {other} are the same. Set another one.")
            others[name] = token
        return self

    @model_validator(mode="after")
    def refuse_missing_guarantees(self) -> Self:
        """Refuse to start where a required property does not hold."""
        token = self.trainer_token and self.trainer_token.get_secret_value()
        check_guarantees(self.require, Exposure(bool(token) and not self.open_access, self.salt))
        return self

    @property
    def agent_base(self) -> str:
        """The URL at which agents reach the agent API, without a trailing slash."""
        if self.agent_url:
            return self.agent_url.rstrip("/")
        host = self.agent_host or self.host
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
        return f"http://[{host}]:{self.agent_port}" if ":" in host else f"http://{host}:{self.agent_port}"

    @property
    def agent_hosts(self) -> frozenset[str]:
        """The public host names at which agents may reach the agent API."""
        given = [
            self.published_host,
            self.host,
            self.agent_host,
            gethostname(),
            *self.allowed_hosts.split(","),
        ]
        names = (urlsplit(self.agent_base).hostname, *given)
        return frozenset(name.strip().lower() for name in names if name and name.strip())

    @property
    def reachable_at(self) -> str:
        """The address that determines whether a token is required."""
        return self.published_host or self.host
