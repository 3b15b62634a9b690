"""What a process of the stack can be told from outside, in one place."""

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

SECRETS = ("database_url", "redis_url", "context_key", "admin_token", "trainer_token", "salt")


class Settings(BaseSettings):
    """Settings of one service process, read from `COMPANYOS_*`; a secret may also come from `…_FILE`."""

    model_config = SettingsConfigDict(env_prefix="COMPANYOS_", extra="ignore")

    database_url: SecretStr = Field(description="PostgreSQL, as this process's own role.")
    redis_url: SecretStr = Field(description="Redis or Valkey: the event bus.")
    context_key: SecretStr = Field(
        min_length=16, description="Signs the context of calls and events between our processes."
    )
    admin_token: SecretStr = Field(min_length=16, description="Opens `/admin`, for the orchestrator only.")
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(0, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    pool_size: int = Field(8, ge=1, le=64, description="Database connections of one process.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level logged.")
    real_kills: bool = Field(
        False,
        description="Evaluation mode: what chaos has restart or lose everything, a service or Redis, ends for real.",
    )

    @model_validator(mode="before")
    @classmethod
    def read_secret_files(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Read `COMPANYOS_X_FILE` into `x` where `x` itself is not given."""
        for name in SECRETS:
            path = os.environ.get(f"COMPANYOS_{name.upper()}_FILE")
            if path and name in cls.model_fields and not values.get(name):
                values[name] = Path(path).read_text(encoding="utf-8").strip()
        return values
