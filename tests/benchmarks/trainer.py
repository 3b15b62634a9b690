"""The trainer used for measurements: a minimal client of the trainer API, and the calls it makes."""

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import aiohttp
import orjson

MANY_STEPS = 1_000
COMMENT = "Measured."
SCENARIO = "vendor_onboarding"
COMMENTING, REOPENING = "ticketdesk_add_comment", "ticketdesk_reopen_ticket"
#: Every tool that a measurement calls; an episode has them whatever its scenario offers.
CALLED = {
    "approvalflow_list_approvals",
    "datahub_get_approver",
    "datahub_list_people",
    "ticketdesk_assign_ticket",
    "ticketdesk_get_ticket",
    "ticketdesk_list_tickets",
    "ticketdesk_update_ticket",
    "ticketdesk_verify_ticket",
    COMMENTING,
    REOPENING,
}

Call = tuple[str, dict[str, Any]]


class Trainer:
    """Plays episodes over HTTP on persistent connections."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self._url = url
        self._session = session
        self._tools: list[str] = []

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Post a body to the trainer API and return the response."""
        async with self._session.post(
            self._url + path, data=orjson.dumps(body), headers={"content-type": "application/json"}
        ) as answer:
            content = await answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"{path} answered {answer.status}: {content[:300]!r}")
        document: dict[str, Any] = orjson.loads(content)
        return document

    async def metric(self, name: str) -> float:
        """Return the value of a metric without labels."""
        async with self._session.get(f"{self._url}/metrics") as answer:
            lines = (await answer.text()).splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith(f"{name} ")))

    async def close_episode(self, episode_id: str) -> None:
        """Close an episode."""
        async with self._session.delete(f"{self._url}/episodes/{episode_id}") as answer:
            await answer.read()

    async def tools(self) -> list[str]:
        """Return the tools of every episode: those that our clients ask for, and those called here."""
        if not self._tools:
            offered = await self.post("/reset", {"scenario": SCENARIO, "tools": "scenario"})
            named = {tool["name"] for tool in offered["observation"]["tools"]}
            self._tools = sorted(named | CALLED)
            await self.close_episode(offered["metadata"]["episode_id"])
        return self._tools

    async def reset(self, seed: int = 0, size: str | int | None = None, chaos: Any = 0) -> "Episode":
        """Start an episode of `vendor_onboarding` with a large step limit."""
        options = {"scenario": SCENARIO, "seed": seed, "chaos": chaos, "max_steps": MANY_STEPS}
        sized = {} if size is None else {"size": size}
        return Episode(self, await self.post("/reset", {**options, **sized, "tools": await self.tools()}))


class Episode:
    """One running episode; its goal ticket is found as an agent would find it."""

    def __init__(self, trainer: Trainer, answer: dict[str, Any]) -> None:
        self._trainer = trainer
        self.id: str = answer["metadata"]["episode_id"]
        #: The agent's token, and the URLs at which it opens the agent API.
        self.access = {name: answer["metadata"][name] for name in ("agent_token", "agent_urls")}
        found = re.search(r"\bTD-\d+\b", answer["observation"]["text"])
        assert found, answer["observation"]["text"]
        self.ticket = found[0]
        self.persona = re.search(r"\(([a-z.]+)\)", answer["observation"]["text"])[1]  # type: ignore[index]
        self._verified = False
        self._calls: Iterator[Callable[[], Call]] = itertools.chain(
            self.preparation(), itertools.cycle(self.mix())
        )

    async def step(self, call: Call) -> dict[str, Any]:
        """Take one step and assert that it succeeded."""
        tool, arguments = call
        action = {"tool_name": tool, "arguments": arguments}
        answer = await self._trainer.post("/step", {"episode_id": self.id, "action": action})
        if answer["observation"]["error"] is not None:
            raise RuntimeError(f"{tool}: {answer['observation']['error']}")
        return answer

    async def snapshot(self) -> str:
        """Take a snapshot of the world and return its id."""
        answer = await self._trainer.post(f"/episodes/{self.id}/snapshots", {})
        return str(answer["snapshot_id"])

    async def restore(self, snapshot_id: str) -> None:
        """Restore the episode to a snapshot."""
        await self._trainer.post(f"/episodes/{self.id}/restore", {"snapshot_id": snapshot_id})

    async def fork(self, count: int) -> None:
        """Fork episodes that continue from here."""
        await self._trainer.post(f"/episodes/{self.id}/fork", {"count": count})

    async def prepare(self, position: int = 0) -> "Episode":
        """Prepare the goal ticket so that it can be verified and reopened in turns, and go on here in the mix."""
        for call in self.preparation():
            await self.step(call())
        mix = self.mix()
        self._calls = itertools.islice(itertools.cycle(mix), position % len(mix), None)
        return self

    def preparation(self) -> list[Callable[[], Call]]:
        """The calls that let the goal ticket be verified: set a priority, and assign it to the persona."""
        priority = ("ticketdesk_update_ticket", {"ticket_id": self.ticket, "priority": "high"})
        assignee = ("ticketdesk_assign_ticket", {"ticket_id": self.ticket, "assignee": self.persona})
        return [lambda: priority, lambda: assignee]

    def read(self) -> Call:
        """A call that reads one row."""
        return "ticketdesk_get_ticket", {"ticket_id": self.ticket}

    def write(self) -> Call:
        """A call that writes rows and causes no event."""
        return COMMENTING, {"ticket_id": self.ticket, "body": COMMENT}

    def settled(self) -> Call:
        """A call whose event another service must have applied before the step is answered."""
        self._verified = not self._verified
        if self._verified:
            return "ticketdesk_verify_ticket", {
                "ticket_id": self.ticket,
                "evidence": "MET-0001",
                "references": ["V-104"],
            }
        return REOPENING, {"ticket_id": self.ticket, "reason": COMMENT}

    def mix(self) -> list[Callable[[], Call]]:
        """Eight calls, three of which cause an event."""
        listing = ("ticketdesk_list_tickets", {"limit": 20})
        approver = ("datahub_get_approver", {"role": "cfo"})
        approvals = ("approvalflow_list_approvals", {"limit": 10})
        return [
            self.read,
            self.settled,
            lambda: listing,
            self.settled,
            self.write,
            lambda: approver,
            lambda: approvals,
            self.settled,
        ]

    async def next_step(self) -> None:
        """Take the next step of the mix."""
        await self.step(next(self._calls)())
