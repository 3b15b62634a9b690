"""Episodes of vendor onboarding under faults of events: the same company with and without them, on a whole stack."""

from typing import Any

import httpx

from companyos.evaluation.agents import Agent, OpenLoopPlan
from companyos.sdk.chaos import FaultId, parse_chaos
from companyos.sdk.scenario import Instance, Scenario, load_scenarios
from tests.patience import PATIENCE_S
from tests.scenarios.play import solution

SALT = "companyos-public"
#: A seed whose vendor passes, so that a request is made and decided, and whose oracle waits no longer than it must.
SEEDS = (0,)
#: Far above what anybody needs.
MAX_STEPS = 120
SCENARIO: Scenario = load_scenarios()["vendor_onboarding"]
HARMLESS = (FaultId.DUPLICATE, FaultId.BROKER_LOSS, FaultId.CLOCK_SKEW)
#: How each fault of events is turned up until one who never looks must fail; those left out do no harm.
WORST: dict[FaultId, dict[str, Any]] = {
    FaultId.DELAY: {"match": {"event": ["ticket.verified"]}, "params": {"ticks_s": 600}},
    FaultId.REORDER: {"match": {"event": ["approval.decided"]}, "params": {"window_s": 600}},
    FaultId.DROP: {},
    FaultId.POISON: {},
    FaultId.CONSUMER_DOWN: {"params": {"window_s": 3600}},
}

Told = dict[str, Any]


def one(fault: FaultId, **setting: Any) -> Told:
    """Return the profile in which only this fault of events happens, wherever it can."""
    return {"faults": {str(fault): {"p": 1.0, **WORST.get(fault, {}), **setting}}}


def instance(seed: int) -> Instance:
    """Return the company of a seed, without any business fault."""
    return SCENARIO.generate(seed, parse_chaos(0), SALT, "default")


def blind(url: str, seed: int) -> Agent:
    """Return who does the right things in the right order, and never looks what comes of them."""
    return OpenLoopPlan(solution(url, SCENARIO, seed))


class Episode:
    """An episode played to its end.

    Args:
        url: URL of the trainer API.
        agent: Who plays.
        chaos: What is put in force before the first step, None for nothing; the company is the same either way.
        befell: The chaos that befell the company.
    """

    def __init__(
        self, url: str, seed: int, agent: Agent, chaos: Told | None = None, *, befell: int | Told = 0
    ) -> None:
        asked = {"scenario": SCENARIO.name, "seed": seed, "chaos": befell, "max_steps": MAX_STEPS}
        with httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
            self._client = client
            first = answer = self._send("POST", "/reset", asked)
            self.id = first["metadata"]["episode_id"]
            if chaos is not None:
                self._send("PUT", f"/episodes/{self.id}/chaos", chaos)
            agent.start(first["observation"])
            while not answer["done"]:
                action = agent.act(answer["observation"])
                answer = self._send("POST", "/step", {"episode_id": self.id, "action": action})
            self.success = bool(self._send("GET", f"/episodes/{self.id}/grade")["success"])
            self.trace: list[Told] = self._send("GET", f"/episodes/{self.id}/trace")[1:]

    @property
    def faults(self) -> list[Told]:
        """What went wrong with events, in the order of the trace."""
        return [fault for record in self.trace for fault in record["faults"]]

    def states(self) -> set[tuple[str, str]]:
        """Return each fault with each state that it reached, and what it is over by."""
        return {(fault["fault"], fault.get("by", fault["state"])) for fault in self.faults}

    def told(self, *names: str) -> list[list[Any]]:
        """Return these parts of each step's record."""
        return [[record[name] for name in names] for record in self.trace]

    def _send(self, method: str, path: str, body: Told | None = None) -> Any:
        return self._client.request(method, path, json=body).raise_for_status().json()
