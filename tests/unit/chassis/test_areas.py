"""A service is put together from areas, each with its operations, events and reactions."""

from typing import Any, ClassVar

import pytest
from fastapi import APIRouter

from companyos.chassis import Area, Due, Event, Reactions, Service, UnitOfWork, world_metadata


class Opened(Event):
    NAME: ClassVar[str] = "shop.opened"

    shop_id: str


class Renamed(Event):
    NAME: ClassVar[str] = "shop.opened"


class Close(Due):
    NAME: ClassVar[str] = "close"


def part(name: str, log: list[str]) -> Area:
    """Return an area that notes the shops that open."""
    reactions = Reactions()

    @reactions.on(Opened)
    async def note(event: Opened, _unit: UnitOfWork) -> None:
        log.append(f"{name} {event.shop_id}")

    return Area(
        routers=[APIRouter(prefix=f"/{name}")],
        publishes=[Opened],
        reactions=reactions,
        derive=lambda _rows, start: [(Close(), start + 60, f"close:{name}")],
    )


def service(*areas: Area) -> Service:
    return Service("town", "Town", "A town.", 1, world_metadata("town"), [], [], Reactions(), areas=areas)


async def test_every_area_reacts_to_an_event_that_several_consume() -> None:
    log: list[str] = []
    town = service(part("north", log), part("south", log))
    unit: Any = None

    await town.reactions.react("shop.opened", {"shop_id": "S-1"}, unit)

    assert log == ["north S-1", "south S-1"]
    assert town.reactions.consumed == ["shop.opened"]


def test_a_service_offers_and_schedules_what_its_areas_do() -> None:
    town = service(part("north", []), part("south", []))

    assert [getattr(router, "prefix", "") for router in town.routers][:2] == ["/north", "/south"]
    assert [(row["id"], row["at"]) for row in town.planned({}, 100)] == [
        ("close:north", 160),
        ("close:south", 160),
    ]


def test_areas_that_see_an_event_differently_do_not_fit() -> None:
    town = part("north", [])

    with pytest.raises(ValueError, match="seen as Opened and as Renamed"):
        town.reactions.on(Renamed)


def test_work_of_one_name_has_one_handler() -> None:
    reactions = Reactions()

    @reactions.due(Close)
    async def close(_due: Close, _unit: UnitOfWork) -> None:
        raise AssertionError

    with pytest.raises(ValueError, match="close has two handlers"):
        reactions.due(Close)
