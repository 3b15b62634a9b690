"""Episodes that an attack can fork, over the trainer API or any other implementation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from companyos.evaluation.trainer import TrainerApi
from companyos.sdk.scenario import Action, Observation

#: How the names of ledger lines begin that are the price of harm.
HARMS: Final = ("duplicate:", "irreversible:", "call:violation")


@dataclass(frozen=True)
class Played:
    """The answer to a reset or a step.

    Attributes:
        reward: What the step earned.
        episode_return: What the episode has earned so far.
        harmed: Whether the step did harm that costs something, or violated a policy.
    """

    observation: Observation
    reward: float
    episode_return: float
    done: bool
    success: bool
    harmed: bool = False


class Branch(Protocol):
    """An episode that continues from its current state."""

    async def step(self, action: Action) -> Played:
        """Play an action."""

    async def fork(self, count: int) -> Sequence["Branch"]:
        """Open independent branches that continue from here."""

    async def grade(self) -> Mapping[str, Any]:
        """Return the grade card."""

    async def close(self) -> None:
        """Close the episode."""


class Trainer(Protocol):
    """Starts episodes, without chaos."""

    async def reset(
        self, scenario: str, seed: int, rewards: str = "seed", *, tools: str = "scenario"
    ) -> tuple[Branch, Played]:
        """Start an episode under a reward profile, with the tools of the scenario or all of them."""


class TrainerBranches:
    """Episodes of a stack."""

    def __init__(self, api: TrainerApi) -> None:
        self._api = api

    async def reset(
        self, scenario: str, seed: int, rewards: str = "seed", *, tools: str = "scenario"
    ) -> tuple[Branch, Played]:
        """Start an episode under a reward profile, with the tools of the scenario or all of them."""
        options = {"scenario": scenario, "seed": seed, "chaos": 0, "tools": tools, "rewards": rewards}
        answer = await self._api.send("POST", "/reset", options)
        return _StackBranch(self._api, answer["metadata"]["episode_id"], 0), _played(answer)


class _StackBranch:
    """One episode of a stack."""

    def __init__(self, api: TrainerApi, episode_id: str, step: int) -> None:
        self._api = api
        self._id = episode_id
        self._step = step

    async def step(self, action: Action) -> Played:
        body = {"episode_id": self._id, "step": self._step + 1, "action": action}
        answer = await self._api.send("POST", "/step", body)
        self._step += 1
        return _played(answer)

    async def fork(self, count: int) -> Sequence[Branch]:
        opened = (await self._api.send("POST", f"/episodes/{self._id}/fork", {"count": count}))["episodes"]
        return [_StackBranch(self._api, one["episode_id"], self._step) for one in opened]

    async def grade(self) -> Mapping[str, Any]:
        card: Mapping[str, Any] = await self._api.send("GET", f"/episodes/{self._id}/grade")
        return card

    async def close(self) -> None:
        await self._api.send("DELETE", f"/episodes/{self._id}")


def _played(answer: Mapping[str, Any]) -> Played:
    metadata = answer["metadata"]
    return Played(
        observation=answer["observation"],
        reward=float(answer["reward"] or 0.0),
        episode_return=float(metadata.get("episode_return", 0.0)),
        done=bool(answer["done"]),
        success=bool(metadata.get("success")),
        harmed=any(line["name"].startswith(HARMS) for line in metadata.get("reward_breakdown", ())),
    )
