"""Readers of one object may say how new it must be; who has it older says so."""

import pytest

from tests.live_services import Desk


async def test_an_object_as_new_as_asked_is_shown(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "x", "version": 3}]})

    plain = await world.get("/notes/N-1")
    asked = await world.get("/notes/N-1", params={"min_version": 3})

    assert (asked.status_code, asked.content) == (200, plain.content)


async def test_an_older_object_is_not_shown(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "x", "version": 3}]})

    answer = await world.get("/notes/N-1", params={"min_version": 4})

    assert (answer.status_code, answer.json()["type"]) == (409, "version_not_reached")
    assert answer.json()["field"] == "min_version"


@pytest.mark.parametrize("wrong", ["0", "-1", "two", "", "1.5", "9" * 30, "٣"])
async def test_invalid_min_version_is_refused(notebook: Desk, wrong: str) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "x"}]})

    answer = await world.get("/notes/N-1", params={"min_version": wrong})

    assert (answer.status_code, answer.json()["field"]) == (422, "min_version")


async def test_lists_have_no_such_argument(notebook: Desk) -> None:
    world = await notebook.world()

    answer = await world.get("/notes", params={"min_version": 1})

    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_request")


def test_the_tool_offers_the_argument(notebook: Desk) -> None:
    tools = {tool["operation"]: tool for tool in notebook.app.state.manifest()["tools"]}

    offered = {name for name, tool in tools.items() if "min_version" in tool["places"]}

    assert offered == {"get_note"}
