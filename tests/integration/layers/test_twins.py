"""Layers behave like worlds that are copied whole: every tool gives the same answer, whatever branched before."""

import random
from typing import Any

import orjson
import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import load_scenarios
from tests.integration.worlds.clerk import Clerk
from tests.sizes import size

from . import tour
from .twins import Kept, Tool, Town, Twin, branch, opened

ROUNDS = 25
CALLS = 24
#: Chains longer than this are folded in the tour; the clerk folds at any length.
LONG = 8


async def go_on(twin: Twin, rng: random.Random) -> Twin:
    """Branch off here, more or less often, and return the branch to go on in."""
    if rng.random() < 0.5:
        twin = branch(twin.town, await twin.keep())
    if len(twin.chain) > LONG:
        await twin.fold()
    return twin


@pytest.mark.parametrize("seed", range(3))
async def test_every_tool_succeeds_and_answers_as_in_a_copied_world(town: Town, seed: int) -> None:
    twin, rng = await opened(town, tour.company(), now=tour.START), random.Random(seed)
    tools, succeeded, longest = town.tools(), set(), 0
    letters: list[dict[str, Any]] = []
    await twin.arm(tour.DAMAGED)

    for stop in tour.TOUR:
        twin = await go_on(twin, rng)
        longest = max(longest, len(twin.chain))
        if isinstance(stop, int):
            await twin.wait(stop)
            continue
        name, arguments, *actor = stop
        caller = actor[0] if actor else "alex.agent"
        if name.endswith("_redrive_dead_letter"):
            arguments = {**arguments, "letter_id": letters[0]["id"]}
        status, result = await twin.call(tools[name], arguments, actor=caller, role="analyst")
        assert status < 300, (name, result)
        succeeded.add(name)
        letters = result["items"] if name.endswith("_list_dead_letters") else letters

    await twin.check()
    assert succeeded == set(tools)
    assert longest == LONG


class Play:
    """A clerk at work in one company, in branches that it opens, folds and comes back to as it pleases."""

    def __init__(self, twin: Twin, clerk: Clerk, people: list[tuple[str, str]]) -> None:
        self.twin = twin
        self._clerk = clerk
        self._rng = clerk.random
        self._people = people
        self._branches = [twin]
        self._kept: list[Kept] = []
        self._last: tuple[Tool, dict[str, Any], str, str] | None = None
        self._tools = twin.town.tools()

    async def move(self) -> None:
        """Do one thing, most often a call."""
        match self._rng.randrange(12):
            case 0:
                self._kept.append(await self.twin.keep())
                self._branches.remove(self.twin)
                self._branches += [branch(self.twin.town, self._kept[-1]) for _ in range(2)]
                self._turn_to(self._branches[-1])
            case 1:
                self._turn_to(self._rng.choice(self._branches))
            case 2 if self._kept:
                self._branches.append(branch(self.twin.town, self._rng.choice(self._kept)))
                self._turn_to(self._branches[-1])
            case 3:
                await self.twin.fold()
            case 4:
                await self.twin.wait(self._rng.choice((60, 3_600, 7_200, 86_400, 259_200)))
                self._last = None
            case 5 if self._last:
                await self._call(*self._last, again=True)
            case _:
                await self._call_any()

    async def check(self) -> None:
        """Compare every branch that is still open."""
        for twin in self._branches:
            await twin.check()

    def _turn_to(self, twin: Twin) -> None:
        self.twin, self._last = twin, None

    async def _call_any(self) -> None:
        tool = self._rng.choice(list(self._tools.values()))
        arguments = self._clerk.call_of({**tool, "input_schema": tool["parameters"]})["arguments"]
        await self._call(tool, arguments, *self._rng.choice(self._people))

    async def _call(
        self, tool: Tool, arguments: dict[str, Any], actor: str, role: str, *, again: bool = False
    ) -> None:
        _, result = await self.twin.call(tool, arguments, actor=actor, role=role, again=again)
        self._last = (tool, arguments, actor, role)
        self._clerk.see({"text": "", "result": result})


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_a_clerk_cannot_tell_layers_from_a_copied_world(town: Town, seed: int) -> None:
    scenarios = sorted(load_scenarios().items())

    for number in range(size(25, 500) // ROUNDS):
        name, scenario = scenarios[(seed + number) % len(scenarios)]
        instance = scenario.generate(number, parse_chaos(1), "companyos-public", "default")
        clerk = Clerk(f"{name}:{seed}:{number}", [], instance)
        people = [(row["id"], row["role"]) for row in instance.rows["datahub"]["people"]]
        rows = orjson.loads(orjson.dumps(instance.rows))
        play = Play(await opened(town, rows, now=instance.start), clerk, people)
        for _ in range(CALLS):
            await play.move()
        await play.check()


async def test_a_row_that_only_one_side_has_is_noticed(town: Town) -> None:
    twin = await opened(town, tour.company(), now=tour.START)
    tool = town.tools()["ticketdesk_add_comment"]
    await twin.call(tool, {"ticket_id": "TD-1042", "body": "Both."}, actor="alex.agent", role="analyst")
    await town.admin.execute(
        f"UPDATE ticketdesk.comments SET body = 'One.' WHERE layer_id = {twin.chain[-1]}".encode()
    )

    with pytest.raises(AssertionError):
        await twin.check()
    with pytest.raises(AssertionError, match="list_comments"):
        await twin.call(
            town.tools()["ticketdesk_list_comments"],
            {"ticket_id": "TD-1042"},
            actor="alex.agent",
            role="analyst",
        )
