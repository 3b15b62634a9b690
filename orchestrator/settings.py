"""Settings of the orchestrator: where its database, Redis and services are, and the secrets between them."""

from __future__ import annotations

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Read from the environment, each name prefixed with COMPANYOS_."""

    model_config = SettingsConfigDict(env_prefix="COMPANYOS_", frozen=True)
