"""The tasks, and their registration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import browsergym.core.env
from browsergym.core.registration import register_task
from browsergym.core.task import AbstractBrowserTask

from companyos.client import CompanyosEnv, Result
from companyos.client.pages.door import raised_step_limit
from companyos.sdk.scenario import load_scenarios

from ..connection import REWARDS, EpisodeInvalid, connect, settle
from .chat import WindowlessChat

#: Tasks are drawn from seeds below this.
SEEDS: Final = 2**31
#: How long a reason's code and an answer may be, in characters.
CODE, ANSWER = 100, 4000


class CompanyTask(AbstractBrowserTask):
    """One episode. `send_msg_to_user` finishes it with an answer; `report_infeasible` refuses it for a reason's code.

    Args:
        seed: Which instance; drawn if None.
        scenario: The family.
        base_url: URL of the trainer API; by default the stack on this machine, which is started if necessary.
        headers: Headers of every request to it, for a proxy in front of the server.
        options: Other options of the reset, such as `chaos`. `rewards` defaults to `drill`.
    """

    def __init__(
        self,
        seed: int | None,
        scenario: str,
        base_url: str | None = None,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(seed)
        # Pages have no script that an action could be too fast for.
        self.slow_mo = 0
        self.env: CompanyosEnv = connect(base_url, headers)
        self.result: Result | None = None
        drawn = int(self.random.randint(SEEDS)) if seed is None else seed
        self._options = {"rewards": REWARDS, **options, "scenario": scenario, "seed": drawn}

    def setup(self, page: Any) -> tuple[str, dict[str, Any]]:
        """Start the episode and open its first page; return the brief, and facts for the trainer."""
        if "max_steps" not in self._options:
            self._options["max_steps"] = raised_step_limit(self.env.reset(**self._options))
        self.result = self.env.reset(**self._options)
        access = self.env.agent_access
        page.goto(f"{access['agent_urls']['web']}enter?token={access['agent_token']}")
        return self.result.observation.text, {"episode_id": self.result.metadata["episode_id"]}

    def validate(
        self, page: Any, chat_messages: Sequence[Mapping[str, Any]]
    ) -> tuple[float, bool, str, dict[str, Any]]:
        """Return what the latest action earned, whether the episode is over, no message, and facts for the trainer.

        Raises:
            EpisodeInvalid: The environment failed; discard the episode.
        """
        rewards = [*self._play_pages(), *self._play_messages(chat_messages)]
        metadata = self._latest.metadata
        if metadata.get("invalid"):
            raise EpisodeInvalid("the environment failed during this episode; discard it")
        names = ("success", "truncated", "episode_return", "trace_hash")
        return sum(rewards), self._latest.done, "", {name: metadata.get(name) for name in names}

    def teardown(self) -> None:
        """End the episode unless it is over."""
        settle(self.env, self.result)
        self.env.close()

    @property
    def _latest(self) -> Result:
        assert self.result is not None
        return self.result

    def _play_pages(self) -> list[float]:
        """Return the rewards of the steps that pages took since the last look."""
        records = self.env.trace(after=self._latest.observation["step"])
        return [self._play(record["action"]) for record in records]

    def _play_messages(self, messages: Sequence[Mapping[str, Any]]) -> list[float]:
        """Return the reward of the end that the agent's message asks for, if there is one."""
        # The first message is BrowserGym's greeting.
        ends = [each for each in messages[1:] if each["role"] in ("assistant", "infeasible")]
        if not ends or self._latest.done:
            return []
        text = ends[0]["message"]
        if ends[0]["role"] == "assistant":
            return [self._play({"tool_name": "finish", "arguments": {"answer": text[:ANSWER]}})]
        reason = {"reason_code": text[:CODE] or "infeasible", "explanation": text[:ANSWER]}
        return [self._play({"tool_name": "refuse", "arguments": reason})]

    def _play(self, action: dict[str, Any]) -> float:
        """Play an action, which a page may have played already, and return its reward."""
        self.result = self.env.step(action)
        return self.result.reward or 0.0


browsergym.core.env.Chat = WindowlessChat
for _family in load_scenarios():
    register_task(
        f"companyos.{_family}", CompanyTask, task_kwargs={"scenario": _family}, nondeterministic=False
    )
