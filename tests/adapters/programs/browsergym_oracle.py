"""Play the oracle's calls in the pages of an episode through BrowserGym: usage `browsergym_oracle.py URL CHROMIUM`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import Any

import gymnasium

import companyos.integrations.browsergym
from companyos.client import CompanyosEnv, Observation
from companyos.client.pages.text_browser import Element, PageForm
from companyos.evaluation.agents import Oracle
from companyos.evaluation.runs.players.doors import make_call, tools_at
from companyos.sdk.scenario import find

SCENARIO, SEED = "license_renewal", 3
CONTROLS = """() => {
  const shown = "form :is(input:not([type=hidden]), textarea, select, button):not([aria-hidden=true])";
  const forms = [...document.forms];
  return [...document.querySelectorAll(shown)].map((each) => [
    each.tagName.toLowerCase(), each.name, each.getAttribute("bid"), forms.indexOf(each.form),
    each.form.getAttribute("action"),
  ]);
}"""


@dataclass
class Pages:
    """BrowserGym's actions, behind the methods of our text browser."""

    env: Any
    web: str
    latest: Any = None
    total: float = 0.0
    found: list[Element] = field(default_factory=list)
    bids: list[str] = field(default_factory=list)

    def act(self, action: str) -> None:
        self.latest = self.env.step(action)
        self.total += self.latest[1]
        # BrowserGym waits half a second for the page that a click leads to, and reports what takes longer as an error.
        error = self.latest[0]["last_action_error"]
        assert not error or "click action done" in error, error

    @property
    def elements(self) -> list[Element]:
        """What forms hold; the same objects until another page is there."""
        if not self.found:
            forms: dict[int, PageForm] = {}
            for tag, name, bid, form, action in self.env.unwrapped.page.evaluate(CONTROLS):
                self.bids.append(bid)
                self.found.append(
                    Element(tag, name=name, form=forms.setdefault(form, PageForm("post", action)))
                )
        return self.found

    def leave(self, action: str) -> None:
        self.act(action)
        self.found, self.bids = [], []

    def goto(self, url: str) -> None:
        self.leave(f"goto({self.web + url!r})")

    def fill(self, number: int, text: str) -> None:
        self.act(f"fill({self.bids[number]!r}, {text!r})")

    def select_option(self, number: int, option: str) -> None:
        self.act(f"select_option({self.bids[number]!r}, {option!r})")

    def click(self, number: int) -> None:
        self.leave(f"click({self.bids[number]!r})")


def played(url: str, options: dict[str, Any]) -> dict[str, Any]:
    """Play the oracle's episode, and its calls again without pages."""
    env = gymnasium.make(f"browsergym/companyos.{SCENARIO}", **options)
    first, _ = env.reset(seed=SEED)
    task = env.unwrapped.task
    access, oracle, seen = task.env.agent_access, Oracle(find(SCENARIO)), task.result.observation
    web = access["agent_urls"]["web"]
    pages, tools, records = Pages(env, web), tools_at(web, access["agent_token"]), []
    oracle.start(seen)
    while not (records and records[-1]["done"]):
        action = oracle.act(seen)
        make_call(pages, tools[action["tool_name"]], action["arguments"])
        records += task.env.trace(after=len(records))
        seen = Observation(records[-1]["observation"])
    observation, _, terminated, _, info = pages.latest
    shown = {"url": observation["url"].removeprefix(web), "picture": list(observation["screenshot"].shape)}
    browsers = len(env.unwrapped.browser.contexts), env.unwrapped.chat.__class__.__name__
    env.close()
    with CompanyosEnv(url) as typed:
        typed.reset(scenario=SCENARIO, seed=SEED, chaos=0, rewards="drill", max_steps=100)
        for record in records:
            last = typed.step(record["action"])
    return {
        "goal": first["goal"],
        "hashes": [info["task_info"]["trace_hash"], last.metadata["trace_hash"]],
        "success": info["task_info"]["success"],
        "terminated": terminated,
        "returns": [pages.total, last.metadata["episode_return"]],
        "shown": shown,
        "browsers": browsers,
    }


def ends(options: dict[str, Any]) -> dict[str, Any]:
    """Return how an episode ends by each of the agent's messages."""
    found = {}
    for action in ('send_msg_to_user("done")', 'report_infeasible("role_vacant")'):
        env = gymnasium.make(f"browsergym/companyos.{SCENARIO}", **options)
        env.reset(seed=SEED)
        _, _, terminated, _, info = env.step(action)
        [record] = env.unwrapped.task.env.trace(after=0)
        found[record["action"]["tool_name"]] = [terminated, info["task_info"]["success"]]
        env.close()
    return found


def main(url: str, chromium: str) -> None:
    options: dict[str, Any] = {
        "task_kwargs": {"base_url": url, "chaos": 0, "max_steps": 100},
        "pw_chromium_kwargs": {"executable_path": chromium},
    }
    registered = [name for name in gymnasium.registry if name.startswith("browsergym/companyos.")]
    print(json.dumps({"registered": registered, "ends": ends(options), **played(url, options)}))


assert companyos.integrations.browsergym.CompanyTask
if __name__ == "__main__":
    main(*sys.argv[1:])
