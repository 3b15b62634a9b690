"""Puts the components of an orchestrator process together."""

from __future__ import annotations

import secrets

from redis.asyncio import Redis

from ..progress.progress_cache import ProgressCache
from ..runtime.components import Components
from ..runtime.in_flight import InFlight
from ..runtime.metrics import OrchestratorMetrics
from ..runtime.settings import Settings
from ..services.barrier import Barrier
from ..services.catalog import Catalogs
from ..services.gateway import Gateway
from ..services.settlements import Settlements
from ..storage.store import Store
from ..worlds.base_cache import BaseCache
from ..worlds.garbage_collection import GarbageCollector
from ..worlds.instances import Instances
from ..worlds.scenario_library import ScenarioLibrary


def assembled(
    settings: Settings, store: Store, gateway: Gateway, redis: Redis, library: ScenarioLibrary
) -> Components:
    """Return the components of a process with these settings."""
    bases = BaseCache(store, gateway, most=settings.max_bases)
    instances = Instances(bases, library, settings.salt, settings.generation_s)
    return Components(
        store=store,
        gateway=gateway,
        catalogs=Catalogs(gateway),
        barrier=Barrier(redis, f"acks:{secrets.token_hex(6)}"),
        settlements=Settlements(redis),
        bases=bases,
        garbage=GarbageCollector(store, gateway, keep=settings.keep_episodes, idle_s=settings.idle_s),
        instances=instances,
        progress_cache=ProgressCache(store, instances),
        in_flight=InFlight(most=settings.max_in_flight, queue_s=settings.queue_s),
        metrics=_metrics_of(settings),
        settle_s=settings.settle_s,
        real_kills=settings.real_kills,
        patience_s=settings.patience_s,
        agent_url=settings.agent_base,
    )


def gateway_of(settings: Settings) -> Gateway:
    """Return the gateway of a process with these settings."""
    return _gateway_kind(settings)(
        settings.services,
        context_key=settings.context_key.get_secret_value(),
        admin_token=settings.admin_token.get_secret_value(),
        call_s=settings.call_s,
    )


def _gateway_kind(settings: Settings) -> type[Gateway]:
    if not settings.tracing:
        return Gateway
    from ..runtime.tracing import TracedGateway

    return TracedGateway


def _metrics_of(settings: Settings) -> OrchestratorMetrics:
    if not settings.tracing:
        return OrchestratorMetrics()
    from ..runtime.tracing import TracedMetrics

    return TracedMetrics()
