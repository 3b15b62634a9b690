"""Everyone who calls the listeners of a stack: with good credentials, former ones, misplaced ones, or none."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx

from companyos.chassis.web.access import Credential
from companyos.chassis.world.context import HEADER, Context, sign
from companyos.embedded.home import Home, Status
from tests.patience import PATIENCE_S

TRAINER_TOKEN = "the-token-of-the-trainer"
OPERATOR_TOKEN = "the-token-of-operators"
ROLLOUT_TOKEN = "the-token-of-rollouts"
GRADER_TOKEN = "the-token-of-graders"
FINISHED = "the agent of a finished episode"
#: Calls that an episode lasts for sure, and those that end one.
CALLS, ENDINGS = 20, {"/finish", "/refuse"}
_worlds = count(10**12)

Headers = dict[str, str]


@dataclass(frozen=True)
class Caller:
    """Somebody who sends headers, and the credentials among them that are good."""

    name: str
    headers: Headers
    has: frozenset[Credential] = frozenset()


@dataclass(frozen=True)
class Trainer:
    """Somebody who begins episodes for agents, and ends them."""

    status: Status

    def reset(self, **options: Any) -> tuple[str, str]:
        """Return the id and the agent token of a new episode."""
        url, headers = f"{self.status.url}/reset", bearer(TRAINER_TOKEN)
        answer = httpx.post(url, headers=headers, json=options, timeout=PATIENCE_S)
        about = answer.raise_for_status().json()["metadata"]
        return about["episode_id"], about["agent_token"]

    def agents(self) -> list[Caller]:
        """Return the agents of two new episodes."""
        names = ("an agent", "the agent of another episode")
        return [Caller(name, bearer(self.reset()[1]), frozenset({Credential.AGENT_TOKEN})) for name in names]

    def former_agents(self) -> list[Caller]:
        """Return agents whose episode is finished, deleted, and replaced by another of its name."""
        (_, finished), (deleted_id, deleted), (replaced_id, replaced) = (self.reset() for _ in range(3))
        httpx.post(f"{self.status.agent_url}/finish", headers=bearer(finished), json={}).raise_for_status()
        deletion = f"{self.status.url}/episodes/{deleted_id}"
        httpx.delete(deletion, headers=bearer(TRAINER_TOKEN)).raise_for_status()
        self.reset(episode_id=replaced_id, replace=True)
        return [
            Caller(FINISHED, bearer(finished)),
            Caller("the agent of a deleted episode", bearer(deleted)),
            Caller("the agent of a replaced episode", bearer(replaced)),
        ]


@dataclass
class PlayingAgents:
    """The agents of two episodes, which begin anew before their calls have ended one.

    Attributes:
        agents: Those of the present episodes.
        left: Calls that these episodes last.
    """

    trainer: Trainer
    agents: list[Caller] = field(default_factory=list)
    left: int = 0

    def before_a_call_of(self, path: str) -> list[Caller]:
        """Return agents that may call a path."""
        if self.left == 0:
            self.agents, self.left = self.trainer.agents(), CALLS
        self.left = 0 if path in ENDINGS else self.left - 1
        return self.agents


def bearer(token: str) -> Headers:
    return {"Authorization": f"Bearer {token}"}


def in_context(key: str) -> Headers:
    number = next(_worlds)
    context = Context(number, (-number, number), 0, "alex.agent", "analyst", "s1", "s1")
    return {HEADER: sign(context, key)}


def callers(home: Home) -> list[Caller]:
    """Return those with a credential each, and those who only seem to have one."""
    secrets = home.secrets(["context_key", "admin_token"])
    admin, context = bearer(secrets["admin_token"]), in_context(secrets["context_key"])
    return [
        Caller("nobody", {}),
        Caller("garbage", {**bearer("garbage"), HEADER: "garbage.garbage"}),
        Caller("an empty token", {"Authorization": "Bearer"}),
        Caller("no token, in latin-1", bearer("\xe9\xff")),
        Caller("a context under an old key", in_context("the-key-before-rotation")),
        Caller("the trainer token elsewhere", misplaced(TRAINER_TOKEN)),
        Caller("the admin token elsewhere", misplaced(secrets["admin_token"])),
        Caller("a made-up agent", bearer(f"cosagent_{'A' * 43}")),
        Caller("the context key itself", {**bearer(secrets["context_key"]), HEADER: secrets["context_key"]}),
        Caller("the trainer", bearer(TRAINER_TOKEN), frozenset({Credential.TRAINER_TOKEN})),
        Caller("an operator", bearer(OPERATOR_TOKEN), frozenset({Credential.OPERATOR_TOKEN})),
        Caller("a rollout worker", bearer(ROLLOUT_TOKEN), frozenset({Credential.ROLLOUT_TOKEN})),
        Caller("a grader", bearer(GRADER_TOKEN), frozenset({Credential.GRADER_TOKEN})),
        Caller("a service with the admin token", admin, frozenset({Credential.ADMIN_TOKEN})),
        Caller("a service with a context", context, frozenset({Credential.SIGNED_CONTEXT})),
        Caller(
            "the orchestrator",
            {**admin, **context},
            frozenset({Credential.ADMIN_TOKEN, Credential.SIGNED_CONTEXT}),
        ),
    ]


def misplaced(token: str) -> Headers:
    return {
        "Authorization": f"Basic {token}",
        "X-Api-Key": token,
        "Cookie": f"token={token}; session={token}; Authorization=Bearer {token}",
        "Proxy-Authorization": f"Bearer {token}",
        "Sec-WebSocket-Protocol": f"bearer, {token}",
    }
