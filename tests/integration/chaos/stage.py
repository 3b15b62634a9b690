"""ApprovalFlow alone in one world: metrics are announced to it call by call, and things go wrong with that."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companyos.chassis.world.context import sign
from companyos.sdk.chaos import FaultId, FaultPlan, parse_chaos
from companyos.sdk.draws import Draws
from tests.live_services import CONTEXT_KEY, Desk, World

Told = dict[str, Any]

START = 1_000_000


@dataclass(frozen=True)
class News:
    """A version of a metric."""

    metric: str
    version: int


@dataclass
class Stage:
    """A world of ApprovalFlow. Each announcement is a call of its own, a minute after the one before."""

    world: World
    calls: int = 0
    sent: list[Told] = field(default_factory=list)

    @property
    def now(self) -> int:
        return self.world.context.now

    async def announce(self, *news: News, arriving: Sequence[int] | None = None, hold: bool = False) -> None:
        """Have one call announce news, which arrive in the order given, one after another."""
        self.calls += 1
        self.world.context = replace(self.world.context, now=self.now + 60)
        events = [self._event(one, number, news[:number], hold=hold) for number, one in enumerate(news)]
        self.sent += events
        for place in arriving if arriving is not None else range(len(events)):
            await self.deliver(events[place])

    async def deliver(self, event: Told) -> None:
        """Have the consumer receive an event."""
        await self.world.desk.app.state.consumer.apply(event)

    async def pass_time(self, seconds: int) -> Told:
        """Let time pass, and return what became due at its end."""
        return await self.world.advance(seconds)

    async def versions(self) -> dict[str, int]:
        """Return the version of each metric as it is known."""
        return {key: row["version"] for key, row in (await self.world.rows("metrics")).items()}

    async def heard(self) -> dict[str, list[int]]:
        """Return the versions that were applied, by metric."""
        announced = await self.world.internal_rows("announcements", "about", "version")
        metrics = await self.world.rows("metrics")
        return {key: [version for about, version in announced if about == key] for key in metrics}

    async def noted(self) -> Told:
        """Return what the service notes of what goes wrong: plan, incidents, what is held, dead letters."""
        headers = {**self.world.headers(self.world.context), **self.world.desk.admin}
        answer = await self.world.desk.client.get("/admin/faults", headers=headers)
        told: Told = answer.raise_for_status().json()
        return told

    async def tool(self, method: str, path: str, **request: Any) -> Any:
        """Call one of the tools for deliveries."""
        return (await self.world.call(method, f"/deliveries/{path}", **request)).raise_for_status().json()

    async def waiting(self) -> list[str]:
        """Return what list_undelivered shows: objects, in its order."""
        return [item["object_id"] for item in (await self.tool("GET", "undelivered"))["items"]]

    def _event(self, news: News, number: int, earlier: Sequence[News], *, hold: bool) -> Told:
        event_id = f"s{self.calls}.datahub.{number + 1}"
        context = replace(self.world.context.caused_by(event_id), armed=True, hold=hold)
        payload = {
            "metric_id": news.metric,
            "subject": None,
            "name": "score",
            "value": float(news.version),
            "as_of": self.now,
            "expires_at": self.now + 1000,
            "version": news.version,
        }
        return {
            "id": event_id,
            "name": "metric.refreshed",
            "payload": payload,
            "context": sign(context, CONTEXT_KEY),
            "object": news.metric,
            "earlier": [["metric.refreshed", one.metric] for one in earlier],
        }


async def stage(desk: Desk, plan: Told | None = None) -> Stage:
    """Return a new stage under a plan of what goes wrong."""
    world = await desk.world({}, now=START)
    if plan is not None:
        headers = {**world.headers(), **desk.admin}
        (await desk.client.put("/admin/faults", json=plan, headers=headers)).raise_for_status()
    return Stage(world)


def plan_of(*faults: FaultId, seed: int = 0, p: float = 1.0, **setting: Any) -> Told:
    """Return a plan in which these faults happen."""
    chaos = parse_chaos({"faults": {str(fault): {"p": p, **setting} for fault in faults}})
    armed = FaultPlan(Draws("salt", seed), chaos).armed
    assert armed is not None
    return armed
