"""Readiness: whether every dependency of this process can serve."""

from __future__ import annotations

import asyncio
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from companyos.chassis.web.probes import in_time

from ..protocol.problems import Outage
from ..runtime.components import Components
from ..services.catalog import Catalogs
from ..services.gateway import Gateway
from ..storage.migrations import HEAD
from ..storage.store import Store

OK = "ok"

log = structlog.get_logger(__name__)


async def readiness(components: Components, redis: Redis) -> dict[str, Any]:
    """Return `ready`, the names of the parts that it waits for, and per part "ok" or an error, within two seconds."""
    gateway, catalogs = components.gateway, components.catalogs
    names = ["database", "bus", *gateway.services]
    checks = [
        _database(components.store),
        _bus(redis),
        *(_service(name, gateway, catalogs) for name in gateway.services),
    ]
    parts = dict(zip(names, await asyncio.gather(*map(in_time, checks)), strict=True))
    if waiting_for := {name: status for name, status in parts.items() if status != OK}:
        log.warning("not_ready", parts=waiting_for)
    return {"ready": not waiting_for, "waiting_for": [*waiting_for], "parts": parts}


async def _database(store: Store) -> str:
    try:
        revision = await store.revision()
    except Outage as outage:
        return str(outage)
    return OK if revision == HEAD else f"revision {revision}, not {HEAD}: run `companyos migrate`"


async def _bus(redis: Redis) -> str:
    try:
        await redis.ping()
    except (RedisError, OSError) as error:
        return f"{type(error).__name__}: {error}"
    return OK


async def _service(name: str, gateway: Gateway, catalogs: Catalogs) -> str:
    try:
        if not await gateway.is_ready(name):
            return "not ready"
        await catalogs.ask(name)
    except Outage as outage:
        return str(outage)
    return OK
