"""What was read with the opening of a unit changes nothing but the number of round trips, however wrong it was."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from companyos.chassis.postgres.epochs import Pool
from companyos.chassis.postgres.prepared import Call, Connection, Rows
from companyos.chassis.world.database import Database
from companyos.chassis.world.internals import series_counter
from companyos.chassis.world.prefetching import Expected, Lookup, LookupPredictor
from companyos.chassis.world.work import UnitOfWork
from tests.live_services import CONTEXT_KEY, Desk, World
from tests.sizes import size

from .notebook import SERVICE, Note, load, write

BASE = {"notes": [{"id": f"N-000{number}", "text": "old", "topic": "a"} for number in range(1, 4)]}
KEYS = [f"N-000{number}" for number in range(1, 8)]
TOPICS = ["a", "b", None]


@pytest.fixture
async def database(notebook: Desk) -> AsyncIterator[Database]:
    opened = Database(
        Pool(notebook.databases.url("notebook"), size=2),
        SERVICE.internals,
        CONTEXT_KEY,
        after_commit=lambda _messages: None,
    )
    await opened.pool.open()
    yield opened
    await opened.pool.close()


@pytest.fixture
def round_trips(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Round trips of the units of work so far, by the lock of their world, in a service that knows nothing yet.

    Other worlds are counted apart because events that earlier tests left on the bus may arrive at any time.
    """
    expect = LookupPredictor().expect
    monkeypatch.setattr(LookupPredictor, "expect", lambda _, *operation: expect(*operation))
    made: Counter[str] = Counter()
    locks: dict[Connection, str] = {}
    together = Connection.together

    async def counted(connection: Connection, *calls: Call) -> list[Rows]:
        # A connection belongs to one unit of work from the call that locks its world to the one that ends it.
        if lock := next((values["lock"] for _, values in calls if "lock" in values), None):
            locks[connection] = lock
        if connection in locks:
            made[locks[connection]] += 1
        if calls[-1][0] in {"COMMIT", "ROLLBACK"}:
            locks.pop(connection, None)
        return await together(connection, *calls)

    monkeypatch.setattr(Connection, "together", counted)
    return made


def lock_of(world: World) -> str:
    return f"notebook:{world.context.world}"


class _Guessed(Expected):
    def __init__(self, lookups: Sequence[Lookup]) -> None:
        super().__init__({}, {})
        self.lookups = list(lookups)


def guesses(rng: random.Random) -> list[Lookup]:
    counter = Lookup(SERVICE.internals.counter, (series_counter("notes", "N-"),))
    possible = [
        counter,
        *(Lookup(Note, (key,)) for key in KEYS),
        *(Lookup(Note, (topic,), ("topic",)) for topic in TOPICS),
        Lookup(Note, (), ()),
    ]
    return rng.sample(possible, rng.randint(0, len(possible)))


async def act(unit: UnitOfWork, rng: random.Random) -> Any:
    """Do something to the world and return what it looked like from inside."""
    key, topic = rng.choice(KEYS), rng.choice(TOPICS)
    match rng.choice(["get", "all", "every", "page", "write", "change", "remove"]):
        case "get":
            return vars(note) if (note := await unit.get(Note, key)) else None
        case "all":
            return [note.id for note in await unit.all(Note, topic=topic)]
        case "every":
            return [vars(note) for note in await unit.all(Note)]
        case "page":
            page = await unit.page(Note, limit=3, topic=topic)
            return [note.id for note in page.items], page.total
        case "write":
            return (await write("new", topic, unit)).id
        case "change" if note := await unit.get(Note, key):
            note.topic, note.version = topic, note.version + 1
        case "remove" if note := await unit.get(Note, key):
            unit.remove(note)
    return None


async def played(database: Database, world: World, seed: int, *, guessing: bool) -> list[Any]:
    rng, guess = random.Random(seed), random.Random(-seed)
    seen: list[Any] = []
    for _ in range(4):
        expected = _Guessed(guesses(guess)) if guessing else None
        async with database.writing(world.next_context(), expected=expected) as writing:
            seen += [str(await act(writing.unit, rng)) for _ in range(8)]
            writing.conclude(SERVICE.internals.outcome, 200, "{}")
        seen.append(writing.effects.document())
    return [*seen, await world.rows("notes", scope="diff")]


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(size(12, 500)))
async def test_right_and_wrong_guesses_change_nothing(notebook: Desk, database: Database, seed: int) -> None:
    plain, guessed = [
        await played(database, await notebook.world(BASE), seed, guessing=guessing)
        for guessing in (False, True)
    ]

    assert guessed == plain


async def test_an_operation_takes_two_round_trips_once_its_lookups_are_known(
    notebook: Desk, round_trips: Counter[str]
) -> None:
    world = await notebook.world(BASE)
    taken = []
    for number in range(1, 4):
        round_trips.clear()
        answer = await world.call("PATCH", f"/notes/N-000{number}", json={"text": "again"})
        assert answer.status_code == 200
        taken.append(round_trips[lock_of(world)])

    assert taken == [3, 3, 2]


async def test_a_row_that_another_unit_changed_since_is_read_anew(notebook: Desk, database: Database) -> None:
    world = await notebook.world(BASE)
    versions = []
    for _ in range(6):
        context = world.next_context()
        expected = database.expect("rewrite", context, {"note": "N-0001"})
        async with database.writing(context, expected=expected) as writing:
            note = await load("N-0001", writing.unit)
            note.version += 1
            versions.append(note.version)
            writing.conclude(SERVICE.internals.outcome, 200, "{}")

    assert versions == [2, 3, 4, 5, 6, 7]


async def test_lookups_of_a_refused_unit_are_not_learned(notebook: Desk, round_trips: Counter[str]) -> None:
    world = await notebook.world(BASE)
    for _ in range(3):
        assert (await world.post("/notes/N-9999/remind")).status_code == 404
    round_trips.clear()

    other = await notebook.world()
    await asyncio.gather(
        world.post("/notes/N-9999/remind"), other.deliver("note.shared", {"text": "from elsewhere"})
    )

    # The opening, one look, the rollback.
    assert round_trips[lock_of(world)] == 3
