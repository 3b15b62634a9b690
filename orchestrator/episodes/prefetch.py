"""Prefetch: generates and loads the companies of upcoming resets in the background.

They are the same companies that the resets would have generated, in the same caches. If a company is evicted
before its reset, or cannot be prepared, the reset prepares it as if it had not been announced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import structlog

from companyos.sdk.chaos import Chaos

from ..protocol.options import ResetOptions, requested_chaos
from ..protocol.problems import Outage, refusing_outages
from ..runtime.components import Components
from ..worlds.instances import Coordinates, fit_in_memory
from .resets import start_of

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class UpcomingCompany:
    """The company of an upcoming reset."""

    options: ResetOptions
    chaos: Chaos


@dataclass(frozen=True)
class Prefetched:
    """The result of a request to prefetch.

    Attributes:
        known: Companies that are already loaded or queued, and repetitions.
        queued: Companies that this request queued.
        refused: Companies that do not fit in addition to those in use; their resets prepare them.
    """

    known: int
    queued: int
    refused: int


class Prefetch:
    """Prepares the companies of upcoming resets, one at a time so that other resets can proceed."""

    def __init__(self, components: Components) -> None:
        self._components = components
        #: In the order of their preparation; the first is in progress.
        self._waiting: dict[Coordinates, UpcomingCompany] = {}
        self._work: asyncio.Task[None] | None = None
        components.metrics.prefetching.set_function(lambda: len(self._waiting))

    async def add(self, wanted: Sequence[ResetOptions]) -> Prefetched:
        """Queue the companies of these resets in order, as many as fit.

        Raises:
            Refusal: 404 scenario_unknown, 422 invalid_chaos or tool_unknown, 503 service_unavailable; nothing is
                queued.
        """
        companies = dict(map(self._locate_company, wanted))
        with refusing_outages():
            catalog = await self._components.catalogs.complete()
            for tools in {options.tools for options in wanted}:
                catalog.toolsets.refuse_unknown(tools)
            room, loaded = await self._components.bases.room(), await self._loaded_places(companies)
        known = loaded | self._waiting.keys()
        new = {where: company for where, company in companies.items() if where not in known}
        queued = self._fitting(new, room)
        self._waiting |= queued
        if self._waiting and (self._work is None or self._work.done()):
            self._work = asyncio.create_task(self._prepare_all())
        return Prefetched(len(wanted) - len(new), len(queued), len(new) - len(queued))

    async def stop(self, within_s: float) -> None:
        """Clear the queue, and give the company in progress this much time to finish."""
        self._waiting.clear()
        if self._work is not None:
            await asyncio.wait([self._work], timeout=within_s)
            self._work.cancel()

    def _locate_company(self, options: ResetOptions) -> tuple[Coordinates, UpcomingCompany]:
        chaos = requested_chaos(options.chaos)
        where = self._components.instances.coordinates(
            options.scenario, options.seed, chaos, options.company_size
        )
        return where, UpcomingCompany(options, chaos)

    async def _loaded_places(self, places: Iterable[Coordinates]) -> set[Coordinates]:
        """Return those whose company is in memory and in the services; it now counts as used and stays."""
        instances, bases = self._components.instances, self._components.bases
        kept = {where: state for where in places if (state := instances.in_memory(where)) is not None}
        ready = await bases.ready({state.base for state in kept.values()})
        for state in kept.values():
            state.loaded = state.loaded and state.base in ready
        bases.used |= ready
        return {where for where, state in kept.items() if state.loaded}

    def _fitting(
        self, new: dict[Coordinates, UpcomingCompany], room: int
    ) -> dict[Coordinates, UpcomingCompany]:
        """Return those that fit in the services and, by their rows, in memory."""
        fitting: dict[Coordinates, UpcomingCompany] = {}
        count, rows = len(self._waiting), sum(each.options.company_rows for each in self._waiting.values())
        for where, company in new.items():
            count, rows = count + 1, rows + company.options.company_rows
            if count > room or not fit_in_memory(count, rows):
                break
            fitting[where] = company
        return fitting

    async def _prepare_all(self) -> None:
        while self._waiting:
            where, company = next(iter(self._waiting.items()))
            try:
                await self._prepare(company)
            except Outage as outage:
                log.warning("prefetch_gives_up", scenario=where[0], seed=where[1], reason=str(outage))
            except Exception:
                # Process boundary: the reset runs into the same failure and reports it to the trainer.
                log.exception("prefetch_failed", scenario=where[0], seed=where[1])
            self._waiting.pop(where, None)

    async def _prepare(self, company: UpcomingCompany) -> None:
        components, options, chaos = self._components, company.options, company.chaos
        # Episodes may have used up the capacity since.
        if await components.bases.room() == 0:
            return
        catalog = await components.catalogs.complete()
        initial_state = await components.instances.initial_state(
            options.scenario, options.seed, chaos, options.company_size
        )
        start = start_of(options, chaos, initial_state)
        # Memory may hold only its initial state.
        await components.instances.of(start)
        with components.bases.held(initial_state.base):
            await components.instances.load(initial_state, start, catalog)
        initial_state.first(start, components.instances.tools_of(start, catalog))
