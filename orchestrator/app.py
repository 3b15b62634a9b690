"""The orchestrator as an ASGI application: the trainer API around the episodes of this process."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI
from pydantic import SecretStr

from companyos.chassis.web.logs import configure_logs

from .episodes.facade import open_episodes
from .http.app import trainer_api
from .http.messages.guard import TrainerAccess
from .runtime.settings import Settings


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the trainer API; settings come from the environment unless given."""
    settings = settings or Settings()
    configure_logs(settings.log_level)
    api = trainer_api(
        partial(open_episodes, settings),
        _access(settings),
        max_sessions=settings.max_sessions,
        one_port=settings.one_port,
    )
    if settings.tracing:
        from companyos.chassis.tracing import TraceContext, wrap_requests

        wrap_requests(api, TraceContext)
    return api


def _access(settings: Settings) -> TrainerAccess:
    return TrainerAccess(
        published_host=settings.reachable_at,
        token=_content(settings.trainer_token),
        operator_token=_content(settings.operator_token),
        rollout_token=_content(settings.rollout_token),
        grader_token=_content(settings.grader_token),
        validation_token=_content(settings.validation_token),
        open_to_browsers=settings.open_access,
        # If a proxy publishes the API, `published_host` says where. Otherwise, connections show it.
        local_only=settings.published_host is None,
        agent_hosts=settings.agent_hosts,
    )


def _content(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
