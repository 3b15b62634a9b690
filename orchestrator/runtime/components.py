"""The components of an orchestrator process, wired once at its start."""

from __future__ import annotations

from dataclasses import dataclass

from ..progress.progress_cache import ProgressCache
from ..services.barrier import Barrier
from ..services.catalog import Catalogs
from ..services.gateway import Gateway
from ..services.settlements import Settlements
from ..storage.store import Store
from ..worlds.base_cache import BaseCache
from ..worlds.garbage_collection import GarbageCollector
from ..worlds.instances import Instances
from .in_flight import InFlight
from .metrics import OrchestratorMetrics


@dataclass(frozen=True)
class Components:
    """Everything that the packages of one process share: connections, caches, counters and time limits."""

    store: Store
    gateway: Gateway
    catalogs: Catalogs
    barrier: Barrier
    settlements: Settlements
    bases: BaseCache
    garbage: GarbageCollector
    instances: Instances
    progress_cache: ProgressCache
    in_flight: InFlight
    metrics: OrchestratorMetrics
    settle_s: float
    real_kills: bool
    patience_s: float
    agent_url: str
