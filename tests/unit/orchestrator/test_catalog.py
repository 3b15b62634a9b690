"""The catalog is what the services tell of themselves, and the orchestrator's own tools."""

from typing import Any

from orchestrator.agent.tools import OWN_TOOLS
from orchestrator.services.catalog import Catalog


def manifest(service: str, *tools: str, consumes: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "service": service,
        "title": service.title(),
        "summary": "",
        "consumes": list(consumes),
        "publishes": [],
        "tools": [
            {
                "name": f"{service}_{name}",
                "operation": name,
                "method": "GET",
                "path": f"/{name}",
                "description": f"{name}.",
                "tick": 60,
                "instead": "",
                "parameters": {"type": "object", "properties": {}, "required": []},
                "places": {},
            }
            for name in tools
        ],
        "tables": [
            {"name": "rows", "journal": False, "hidden": False, "maintained": ["version"]},
            {"name": "log", "journal": True, "hidden": False, "maintained": []},
            {"name": "secret", "journal": False, "hidden": True, "maintained": []},
        ],
    }


CATALOG = Catalog(
    [
        manifest("hub", "read", consumes=("ticket.verified",)),
        manifest("desk", "get", consumes=("ticket.verified",)),
    ]
)


def test_tools_come_in_the_order_of_services_and_ours_last() -> None:
    own = [tool.name for tool in OWN_TOOLS]

    assert list(CATALOG.tools) == ["hub_read", "desk_get", *own]
    assert own[0] == "wait"
    assert own[-2:] == ["finish", "refuse"]
    assert [card["name"] for card in CATALOG.cards] == list(CATALOG.tools)
    assert CATALOG.tools["hub_read"].service == "hub"


def test_consumers_are_known_by_event() -> None:
    assert CATALOG.consumers("ticket.verified") == ["desk", "hub"]
    assert CATALOG.consumers("nobody.cares") == ()


def test_tables_are_marked_by_their_service() -> None:
    assert CATALOG.services == ["hub", "desk"]
    assert CATALOG.tables("hub") == ["rows", "log"]
    assert CATALOG.journals == {("hub", "log"), ("desk", "log")}
    assert CATALOG.maintained["desk", "rows"] == {"version"}
