"""Tree search over live services: fork the company at every decision, and continue where moves earned most.

Three players play `vendor_onboarding` with the same moves. The naive script makes the first move of every
decision, which is what the text of the task suggests, and never looks at the outcome. The stubborn script
does the same, but retries calls that fail temporarily. The search retries them too, and tries every move,
each in its own fork. It continues from the branch that has given up the least reward so far, until an episode
ends in success. It sees only what an agent sees and the trainer's reward.

    $ python -m examples.tree_search --seeds 20 --keep      # at chaos 3, and keep the result for the README
"""

import argparse
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

from companyos import CompanyosEnv
from companyos.client import EpisodeOver

from . import findings
from .vendor_moves import PLAN, Known, Move

#: How many forks a search may take before it gives up.
FORKS = 300


class Stuck(Exception):
    """A call failed and is not retried."""


@dataclass
class Branch:
    """An episode, the facts known so far, and what it has earned.

    Attributes:
        keyed: Tools that take an idempotency key, so that a repeated call is carried out once.
        spent: The number of steps and forks, summed over all branches of a search.
        insists: Whether it retries calls that fail temporarily.
        depth: The number of decisions taken.
        given_up: How much less the moves so far have earned than the best alternatives.
    """

    env: CompanyosEnv
    known: Known
    keyed: frozenset[str]
    spent: dict[str, int]
    insists: bool = False
    depth: int = 0
    given_up: float = 0.0
    earned: float = 0.0
    success: bool = False
    done: bool = False
    stuck: bool = False

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return a tool's answer; if this branch insists, retry as often as necessary."""
        if self.insists and tool in self.keyed:
            arguments["idempotency_key"] = f"call-{self.spent['steps']}"
        while (error := (said := self._say(tool, arguments)).error) is not None:
            if not (self.insists and error["retryable"]):
                raise Stuck(error["code"])
            if "retry_after_s" in error:
                self._say("wait", {"seconds": max(60, error["retry_after_s"])})
        return self._awaited(said.result) if self.insists else said.result

    def play(self, move: Move) -> "Branch":
        """Make a move, or the part of it that is possible."""
        try:
            move(self, self.known)
        except (Stuck, EpisodeOver, LookupError, TypeError):
            self.stuck = True
        return self

    def grow(self, moves: Sequence[Move]) -> list["Branch"]:
        """Fork this branch once for each move, and make the move in its fork."""
        self.spent["forks"] += len(moves)
        forks = zip(self.env.fork(len(moves)), moves, strict=True)
        grown = [
            replace(self, env=env, known={**self.known}, depth=self.depth + 1).play(move)
            for env, move in forks
        ]
        best = max(one.earned for one in grown)
        for one in grown:
            one.given_up += best - one.earned
        return grown

    def _say(self, tool: str, arguments: Known) -> Any:
        result = self.env.call(tool, **arguments)
        self.spent["steps"] += 1
        self.earned, self.done = result.metadata.episode_return, result.done
        self.success = bool(result.metadata.success)
        return result.observation

    def _awaited(self, result: Any) -> Any:
        """Return the final result of a call that was accepted for later execution."""
        if not (isinstance(result, dict) and result.get("status") == "accepted"):
            return result
        operation = self.call("get_operation", operation_id=result["operation_id"])
        while operation["status"] == "running":
            self.call("wait", until=operation["ready_at"])
            operation = self.call("get_operation", operation_id=result["operation_id"])
        if operation["status"] == "failed":
            raise Stuck(operation["error"]["code"])
        return operation["result"]


def naive(branch: Branch, plan: Sequence[Sequence[Move]]) -> Branch:
    """Make the first move of every decision."""
    for first, *_ in plan:
        branch.play(first)
    return branch


def stubborn(branch: Branch, plan: Sequence[Sequence[Move]]) -> Branch:
    """Make the first move of every decision, and retry calls that fail temporarily."""
    branch.insists = True
    return naive(branch, plan)


def search(branch: Branch, plan: Sequence[Sequence[Move]]) -> Branch:
    """Try every move of every decision, least reward given up first, until an episode ends in success."""
    branch.insists = True
    frontier, end = [branch], branch
    while frontier and not end.success and branch.spent["forks"] < FORKS:
        nearest = min(frontier, key=lambda one: (one.given_up, -one.depth))
        frontier.remove(nearest)
        for grown in nearest.grow(plan[nearest.depth]):
            if grown.done:
                end = max(end, grown, key=lambda one: (one.success, one.done, one.earned))
            elif not grown.stuck and grown.depth < len(plan):
                frontier.append(grown)
                continue
            grown.env.close()
        nearest.env.close()
    for left in frontier:
        left.env.close()
    return end


Player = Callable[[Branch, Sequence[Sequence[Move]]], Branch]
PLAYERS: Sequence[Player] = (naive, stubborn, search)


def play(env: CompanyosEnv, seed: int, chaos: int, player: Player) -> dict[str, Any]:
    """Play a seed to its end and return the outcome; steps and forks are those of all branches."""
    began = time.perf_counter()
    seen = env.reset(scenario="vendor_onboarding", seed=seed, chaos=chaos).observation
    known = {
        "me": re.findall(r"\(([a-z.]+)\)", seen.text)[0],
        "ticket_id": re.findall(r"\bTD-\d+", seen.text)[0],
    }
    keyed = frozenset(
        tool["name"] for tool in seen["tools"] if "idempotency_key" in tool["input_schema"]["properties"]
    )
    end = player(Branch(env, known, keyed, spent := {"steps": 0, "forks": 0}), PLAN)
    end.env.close()
    went = {"seed": seed, "player": player.__name__, "success": end.success, "return": end.earned}
    return {**went, **spent, "seconds": round(time.perf_counter() - began, 2)}


def main() -> None:
    """Play the seeds, print one line for each, and print a summary."""
    parser = argparse.ArgumentParser(description="Beat a naive script by forking.")
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--first", type=int, default=90_000, help="the first of them")
    parser.add_argument("--chaos", type=int, default=3, help="the chaos level")
    parser.add_argument("--url", help="a running stack; without it that of this machine, started if need be")
    parser.add_argument("--json", action="store_true", help="print every play as JSON, and nothing else")
    parser.add_argument("--keep", action="store_true", help=f"write the plays to {findings.FILE.name}")
    options = parser.parse_args()
    plays = []
    with CompanyosEnv(options.url) if options.url else CompanyosEnv.local() as env:
        for seed in range(options.first, options.first + options.seeds):
            plays += (pair := [play(env, seed, options.chaos, player) for player in PLAYERS])
            if not options.json:
                went = ("{player} {return:+.2f} in {seconds:.1f} s".format(**one) for one in pair)
                print(f"seed {seed}: ", ", ".join(went), flush=True)
    print(json.dumps(plays, indent=1) if options.json else table(plays))
    if options.keep:
        findings.keep(plays, options.chaos)


def table(plays: Sequence[dict[str, Any]]) -> str:
    """Return a table of each player's means over its plays."""
    lines = ["", "player   success   mean return   steps   forks   seconds (means over the seeds)"]
    for name in (player.__name__ for player in PLAYERS):
        mine = [one for one in plays if one["player"] == name]
        means = [mean(one[k] for one in mine) for k in ("success", "return", "steps", "forks", "seconds")]
        lines.append(f"{name:8}" + "{:8.0%} {:+13.2f} {:7.1f} {:7.1f} {:9.2f}".format(*means))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
