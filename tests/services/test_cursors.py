"""A list goes on after a cursor that it gave out, whatever became of the item, and refuses any other."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from fastapi import FastAPI

from services.approvalflow.app import create_app as approvalflow
from services.datahub.app import create_app as datahub
from services.ticketdesk.app import create_app as ticketdesk
from tests.live_services import Desk, TestDatabases, World, running

from .approvalflow import company as approvals
from .datahub import company as data
from .datahub.company import person
from .datahub.test_documents import document
from .datahub.test_messages import message
from .ticketdesk import company as tickets

#: Values for the arguments that lists require, by name.
ARGUMENTS = {
    "ticket_id": "TD-1042",
    "metric_id": "MET-0104",
    "request_id": "APR-0007",
    "dataset_id": "DS-0001",
    "q": "hotels",
    "identifiers": ["Acme"],
}


#: Cursors that no list gave out.
UNKNOWN = ("zzz", "TD", "%", "'; DROP TABLE audit; --", "Ünïcödé", "APR-0008-A1")


async def company_of(desk: Desk) -> World:
    """Return a world with what the lists of a service require."""
    if desk.name == "ticketdesk":
        return await tickets.open_company(desk, tickets.a_ticket())
    if desk.name == "approvalflow":
        return await approvals.start(desk, requests=[approvals.request()])
    rows = {"datasets": [data.orders()], "dataset_rows": data.rows(), "documents": [document()]}
    return await data.start(desk, metrics=[data.score()], **rows)


def lists(app: FastAPI) -> Iterator[tuple[str, str, str, set[str]]]:
    """Yield the method and path of each operation that takes a cursor, where it takes it, and its arguments."""
    described = app.openapi()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            names = {parameter["name"] for parameter in operation.get("parameters", ())}
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            reference = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
            body = set(described["components"]["schemas"].get(reference, {}).get("properties", {}))
            if "cursor" in names | body:
                yield method.upper(), path, "json" if body else "params", names | body


async def ask(
    world: World, method: str, path: str, kind: str, names: set[str], **arguments: Any
) -> dict[str, Any]:
    """Return the answer of a list."""
    place = path.format(**ARGUMENTS)
    needed = {name: ARGUMENTS[name] for name in ("q", "identifiers") if name in names}
    return dict((await world.call(method, place, **{kind: {**needed, **arguments}})).json())


@pytest.fixture(
    scope="module", params=[ticketdesk, datahub, approvalflow], ids=["tickets", "data", "approvals"]
)
async def desk(request: pytest.FixtureRequest, databases: TestDatabases) -> AsyncIterator[Desk]:
    """Each service."""
    async with running(request.param, databases) as running_desk:
        yield running_desk


async def test_a_cursor_that_was_never_given_out_is_refused_by_every_list(desk: Desk) -> None:
    world, operations = await company_of(desk), list(lists(desk.app))
    answers = {
        (*one[:2], cursor): await ask(world, *one, cursor=cursor) for one in operations for cursor in UNKNOWN
    }

    assert len(operations) >= 7
    assert {
        key: (answer.get("type"), answer.get("field")) for key, answer in answers.items()
    } == dict.fromkeys(answers, ("cursor_unknown", "cursor"))
    assert all("leave it out" in answer["detail"] for answer in answers.values())


async def test_an_empty_cursor_begins_every_list(desk: Desk) -> None:
    world, operations = await company_of(desk), list(lists(desk.app))
    pairs = [(await ask(world, *one), await ask(world, *one, cursor="")) for one in operations]

    assert [empty for _, empty in pairs] == [without for without, _ in pairs]


async def test_a_page_of_every_list_has_from_one_to_two_hundred_items(desk: Desk) -> None:
    world, operations = await company_of(desk), list(lists(desk.app))
    fields = {
        (*one[:2], limit): (await ask(world, *one, limit=limit)).get("field")
        for one in operations
        for limit in (0, 1, 200, 201)
    }

    assert fields == {key: None if key[-1] in (1, 200) else "limit" for key in fields}


async def test_the_cursor_of_a_removed_item_goes_on_after_its_place(databases: TestDatabases) -> None:
    rows = [message(f"MSG-{number:04d}", sent_at=data.NOW - number, subject="Acme") for number in range(1, 4)]
    papers = [document(f"DOC-{number:04d}") for number in range(1, 4)]
    async with running(datahub, databases) as desk:
        world = await data.start(desk, messages=rows, documents=papers, people=[person("alex.agent")])
        for erased in ("MSG-0002", "DOC-0002"):
            body = {"mode": "erase", "basis": "TD-1042"}
            answer = await world.post(f"/personal-data/{erased}/erase", json=body)
            assert answer.status_code == 200, answer.text
        letters = (await world.get("/messages", params={"cursor": "MSG-0002"})).json()
        found = (await world.get("/documents", params={"q": "hotels", "cursor": "DOC-0002"})).json()
        listed = (await world.get("/documents", params={"kind": "handbook", "cursor": "DOC-0002"})).json()

    assert [item["id"] for item in letters["items"]] == ["MSG-0003"]
    assert [item["id"] for item in found["items"]] == ["DOC-0003"]
    assert [item["id"] for item in listed["items"]] == ["DOC-0003"]
