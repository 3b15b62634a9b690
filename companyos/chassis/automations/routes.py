"""The tool that lists a service's automations."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from ..web.http import InWorld, ToolRouter
from ..web.views import Key, Page, PageQuery, SimTime, View, page_of
from ..world.work import UnitOfWork
from .tables import AutomationTables


class AutomationsQuery(PageQuery):
    """Which automations to list."""

    trigger: Key | None = Field(None, description="Only those on this event or table.")


class AnnouncedChange(View):
    """A coming change of an automation."""

    at: SimTime = Field(description="When it comes into force.")
    notice: str = Field(description="What changes.")


class AutomationView(View):
    """A rule that the service follows by itself."""

    id: str = Field(description="Id of the automation.")
    name: str = Field(description="Its name.")
    description: str = Field(description="What it does, and when.")
    trigger: str = Field(description="The event, or the table of which a row changed, that starts it.")
    number: int = Field(description="Automations on one trigger run in this order.")
    when: list[dict[str, Any]] = Field(description="The conditions, which all have to hold.")
    do: dict[str, Any] = Field(description="What it does then: an action and its arguments.")
    paused: bool = Field(description="Whether it is paused now.")
    active_from: SimTime | None = Field(description="When it begins to run; null if it always has.")
    active_until: SimTime | None = Field(description="When it ceases to run; null if it does not.")
    version: int = Field(description="Grows by one with every change.")
    announced: list[AnnouncedChange] = Field(description="Changes that are announced, in order.")


def automation_router(rows: AutomationTables) -> ToolRouter:
    """Return the route that lists the automations in these tables."""
    router = ToolRouter(prefix="/automations", tags=["automations"])

    @router.get(
        "",
        response_model=Page[AutomationView],
        summary="List automations",
        description="Shows the rules that run here by themselves, with their triggers, conditions and actions. Calls "
        "do not report what automations did. Rules that are not registered here may be described in documents.",
    )
    async def list_automations(query: Annotated[AutomationsQuery, Query()], unit: InWorld) -> dict[str, Any]:
        return await _listed(rows, query, unit)

    return router


async def _listed(rows: AutomationTables, query: AutomationsQuery, unit: UnitOfWork) -> dict[str, Any]:
    chosen: dict[str, Any] = {} if query.trigger is None else {"trigger": query.trigger}
    page = await unit.page(rows.rule, after=query.cursor, limit=query.limit, listed=True, **chosen)
    coming: dict[str, list[Any]] = {}
    for change in sorted(await unit.all(rows.change), key=lambda one: (one.at, one.id)):
        if change.at > unit.now:
            coming.setdefault(change.automation_id, []).append(change)
    return page_of(page.map(lambda rule: _Shown(rule, coming.get(rule.id, []))), query.limit)


class _Shown:
    """A rule with its announced changes."""

    def __init__(self, rule: Any, announced: list[Any]) -> None:
        self.__dict__.update(vars(rule))
        self.announced = announced
