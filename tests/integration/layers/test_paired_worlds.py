"""Layers behave like worlds that are copied whole: every tool gives the same answer, whatever branched before."""

import random
from typing import Any

import orjson
import pytest

from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import load_scenarios
from tests.integration.worlds.plausible_calls import PlausibleCaller
from tests.sizes import size

from . import all_tools
from .paired_worlds import CompanyServices, Kept, PairedWorld, Tool, branch, opened
from .tour_company import START, company

ROUNDS = size(4, 25)
CALLS = 24
#: Chains longer than this are folded in the tour; the clerk folds at any length.
LONG = 8


async def go_on(pair: PairedWorld, rng: random.Random) -> PairedWorld:
    """Branch off here, more or less often, and return the branch to go on in."""
    if rng.random() < 0.5:
        pair = branch(pair.services, await pair.keep())
    if len(pair.chain) > LONG:
        await pair.fold()
    return pair


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(size(1, 3)))
async def test_every_tool_succeeds_and_answers_as_in_a_copied_world(
    services: CompanyServices, seed: int
) -> None:
    pair, rng = await opened(services, company(), now=START), random.Random(seed)
    tools, succeeded, longest = services.tools(), set(), 0
    letters: list[dict[str, Any]] = []
    await pair.arm(all_tools.DAMAGED)

    for stop in all_tools.TOUR:
        pair = await go_on(pair, rng)
        longest = max(longest, len(pair.chain))
        if isinstance(stop, int):
            await pair.wait(stop)
            continue
        name, arguments, *actor = stop
        caller = actor[0] if actor else "alex.agent"
        if name.endswith("_redrive_dead_letter"):
            arguments = {**arguments, "letter_id": letters[0]["id"]}
        status, result = await pair.call(tools[name], arguments, actor=caller, role="analyst")
        assert status < 300, (name, result)
        succeeded.add(name)
        letters = result["items"] if name.endswith("_list_dead_letters") else letters

    await pair.check()
    assert succeeded == set(tools)
    assert longest == LONG


class Play:
    """A clerk at work in one company, in branches that it opens, folds and comes back to as it pleases."""

    def __init__(self, pair: PairedWorld, clerk: PlausibleCaller, people: list[tuple[str, str]]) -> None:
        self.pair = pair
        self._clerk = clerk
        self._rng = clerk.random
        self._people = people
        self._branches = [pair]
        self._kept: list[Kept] = []
        self._last: tuple[Tool, dict[str, Any], str, str] | None = None
        self._tools = pair.services.tools()

    async def move(self) -> None:
        """Do one thing, most often a call."""
        match self._rng.randrange(12):
            case 0:
                self._kept.append(await self.pair.keep())
                self._branches.remove(self.pair)
                self._branches += [branch(self.pair.services, self._kept[-1]) for _ in range(2)]
                self._turn_to(self._branches[-1])
            case 1:
                self._turn_to(self._rng.choice(self._branches))
            case 2 if self._kept:
                self._branches.append(branch(self.pair.services, self._rng.choice(self._kept)))
                self._turn_to(self._branches[-1])
            case 3:
                await self.pair.fold()
            case 4:
                await self.pair.wait(self._rng.choice((60, 3_600, 7_200, 86_400, 259_200)))
                self._last = None
            case 5 if self._last:
                await self._call(*self._last, again=True)
            case _:
                await self._call_any()

    async def check(self) -> None:
        """Compare every branch that is still open."""
        for pair in self._branches:
            await pair.check()

    def _turn_to(self, pair: PairedWorld) -> None:
        self.pair, self._last = pair, None

    async def _call_any(self) -> None:
        tool = self._rng.choice(list(self._tools.values()))
        arguments = self._clerk.call_of({**tool, "input_schema": tool["parameters"]})["arguments"]
        await self._call(tool, arguments, *self._rng.choice(self._people))

    async def _call(
        self, tool: Tool, arguments: dict[str, Any], actor: str, role: str, *, again: bool = False
    ) -> None:
        _, result = await self.pair.call(tool, arguments, actor=actor, role=role, again=again)
        self._last = (tool, arguments, actor, role)
        self._clerk.see({"text": "", "result": result})


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_a_clerk_cannot_tell_layers_from_a_copied_world(services: CompanyServices, seed: int) -> None:
    scenarios = sorted(load_scenarios().items())

    for number in range(size(12, 500) // ROUNDS):
        name, scenario = scenarios[(seed + number) % len(scenarios)]
        instance = scenario.generate(number, parse_chaos(1), "companyos-public", "default")
        clerk = PlausibleCaller(f"{name}:{seed}:{number}", [], instance)
        people = [(row["id"], row["role"]) for row in instance.rows["datahub"]["people"]]
        rows = orjson.loads(orjson.dumps(instance.rows))
        play = Play(await opened(services, rows, now=instance.start), clerk, people)
        for _ in range(CALLS):
            await play.move()
        await play.check()


async def test_a_row_that_only_one_side_has_is_noticed(services: CompanyServices) -> None:
    pair = await opened(services, company(), now=START)
    tool = services.tools()["ticketdesk_add_comment"]
    await pair.call(tool, {"ticket_id": "TD-1042", "body": "Both."}, actor="alex.agent", role="analyst")
    await services.admin.execute(
        f"UPDATE ticketdesk.comments SET body = 'One.' WHERE layer_id = {pair.chain[-1]}".encode()
    )

    with pytest.raises(AssertionError):
        await pair.check()
    with pytest.raises(AssertionError, match="list_comments"):
        await pair.call(
            services.tools()["ticketdesk_list_comments"],
            {"ticket_id": "TD-1042"},
            actor="alex.agent",
            role="analyst",
        )
