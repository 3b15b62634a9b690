"""A call whose chain of layers cannot be right is refused and not answered, by every way into a service."""

from collections.abc import Callable
from dataclasses import replace

import orjson
import pytest

from companyos.chassis.events import bus
from companyos.chassis.world.context import HEADER, Context, sign
from companyos.chassis.world.statements import dumps
from tests.live_services import CONTEXT_KEY, Desk, World

Forge = Callable[[Context, Context], str]

WAYS = [
    ("GET", "/notes"),
    ("GET", "/notes/N-1"),
    ("POST", "/notes"),
    ("PATCH", "/notes/N-1"),
    ("DELETE", "/notes/N-1"),
    ("POST", "/notes/N-1/remind"),
    ("GET", "/admin/layers"),
    ("GET", "/admin/pending"),
    ("POST", "/admin/tick"),
]


def chained(*places: int) -> Forge:
    """Return the forger of a context, signed by us, whose chain has these of (base, own layer, a layer below it)."""

    def forge(mine: Context, _theirs: Context) -> str:
        base, own = mine.chain
        layers = (base, own, own - 1)
        return sign(replace(mine, chain=tuple(layers[place] for place in places)), CONTEXT_KEY)

    return forge


def signed_by_another(_mine: Context, theirs: Context) -> str:
    return sign(theirs, "the-key-of-somebody-else")


def body_of_another(mine: Context, theirs: Context) -> str:
    """A foreign chain under a signature of ours, which was made for another."""
    body, _, _ = sign(theirs, CONTEXT_KEY).partition(".")
    return f"{body}.{sign(mine, CONTEXT_KEY).partition('.')[2]}"


FORGED: dict[str, Forge] = {
    "empty": chained(),
    "base only": chained(0),
    "no base": chained(1),
    "unsorted": chained(0, 1, 2),
    "base last": chained(1, 0),
    "base twice": chained(0, 0, 1),
    "layer twice": chained(0, 1, 1),
    "foreign key": signed_by_another,
    "foreign chain": body_of_another,
    "nothing": lambda _mine, _theirs: "",
}


@pytest.fixture
async def worlds(notebook: Desk) -> tuple[World, World]:
    """A world, and another that keeps a secret."""
    rows = {"notes": [{"id": "N-1", "text": "mine"}]}
    return await notebook.world(rows), await notebook.world({"notes": [{"id": "N-1", "text": "secret"}]})


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
async def test_forged_contexts_are_refused_on_every_route(
    notebook: Desk, worlds: tuple[World, World], forge: Forge
) -> None:
    mine, theirs = worlds
    before = [await world.rows("notes") for world in worlds]

    for method, path in WAYS:
        headers = {HEADER: forge(mine.next_context(), theirs.next_context()), **notebook.admin}
        body = {"text": "written"} if method in ("POST", "PATCH") else None
        answer = await notebook.client.request(method, path, headers=headers, json=body)
        assert (answer.status_code, answer.json()["type"]) == (401, "context_refused"), (method, path)
        assert "secret" not in answer.text

    assert [await world.rows("notes") for world in worlds] == before


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
async def test_an_event_with_such_a_chain_is_not_applied(
    notebook: Desk, worlds: tuple[World, World], forge: Forge
) -> None:
    mine, theirs = worlds
    forged = forge(mine.context.caused_by("s1.elsewhere.1"), theirs.context.caused_by("s1.elsewhere.1"))
    event = {"id": "s1.elsewhere.1", "name": "note.shared", "payload": {"text": "x"}, "context": forged}
    fields = {key.encode(): text.encode() for key, text in bus.entry(dumps(event), CONTEXT_KEY).items()}

    await notebook.app.state.consumer._receive(fields)

    assert orjson.loads(fields[b"event"])["name"] in notebook.app.state.service.reactions.consumed
    for world in worlds:
        assert set(await world.rows("notes")) == {"N-1"}
