"""Tree search over live services: fork the company at every decision, and go on in the branch that earned most.

`vendor_onboarding` is played twice with the same moves. The naive script makes the first move of every decision, which
is what the text of the task suggests, and looks at nothing that comes of it. The search tries every move, as it is and
repeating calls that fail on their way, each in a fork of its own. It sees what an agent sees and the trainer's reward,
nothing else.

    $ python -m examples.tree_search --seeds 30      # chaos 1, seeds that nothing here was tuned on
    player   success   mean return   steps   forks
    naive         0%         -3.69    11.2     0.0
    search      100%        +19.52    51.1    24.0
"""

import argparse
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from companyos import CompanyosEnv
from companyos.client import EpisodeOver

from .vendor_moves import PLAN, Known, Move


class Stuck(Exception):
    """A call came to nothing."""


@dataclass
class Branch:
    """An episode, what was found out on the way there, and what it has earned."""

    env: CompanyosEnv
    known: Known
    spent: dict[str, int]
    insists: bool = False
    earned: float = 0.0
    success: bool = False
    done: bool = False
    stuck: bool = False

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return what a tool answers; where this branch insists, after as many tries as it takes."""
        result = self.env.call(tool, **arguments)
        self.spent["steps"] += 1
        self.earned, self.done = result.metadata.episode_return, result.done
        self.success = bool(result.metadata.success)
        if (error := result.observation.error) is None:
            return result.observation.result
        if self.insists and error["retryable"]:
            return self.call(tool, **arguments)
        raise Stuck(error["code"])

    def play(self, move: Move) -> "Branch":
        """Make a move as far as it goes."""
        try:
            move(self, self.known)
        except (Stuck, EpisodeOver, KeyError):
            self.stuck = True
        return self

    def grow(self, moves: Sequence[Move]) -> list["Branch"]:
        """Fork this branch and make every move, once as it is and once insisting."""
        tries = [(move, insists) for insists in (False, True) for move in moves]
        self.spent["forks"] += len(tries)
        forks = zip(self.env.fork(len(tries)), tries, strict=True)
        return [
            Branch(env, {**self.known}, self.spent, insists, self.earned).play(move)
            for env, (move, insists) in forks
        ]


def search(branch: Branch, plan: Sequence[Sequence[Move]]) -> Branch:
    """Take every decision in all ways there are; go on where the move worked and paid best."""
    for moves in plan:
        if not branch.done:
            grown = branch.grow(moves)
            best = max(grown, key=lambda one: (not one.stuck, one.earned))
            for left in [branch, *(one for one in grown if one is not best)]:
                left.env.close()
            branch = best
    return branch


def naive(branch: Branch, plan: Sequence[Sequence[Move]]) -> Branch:
    """Make the first move of every decision."""
    for first, *_ in plan:
        branch.play(first)
    return branch


Player = Callable[[Branch, Sequence[Sequence[Move]]], Branch]
PLAYERS: Sequence[Player] = (naive, search)


def play(env: CompanyosEnv, seed: int, chaos: int, player: Player) -> dict[str, Any]:
    """Play a seed to its end and return how it went; steps and forks are those of all branches."""
    began = time.perf_counter()
    brief = env.reset(scenario="vendor_onboarding", seed=seed, chaos=chaos).observation.text
    known = {"me": re.findall(r"\(([a-z.]+)\)", brief)[0], "ticket_id": re.findall(r"\bTD-\d+", brief)[0]}
    end = player(Branch(env, known, spent := {"steps": 0, "forks": 0}), PLAN)
    end.env.close()
    went = {"seed": seed, "player": player.__name__, "success": end.success, "return": end.earned}
    return {**went, **spent, "seconds": round(time.perf_counter() - began, 2)}


def main() -> None:
    """Play the seeds, a line each, and sum up."""
    parser = argparse.ArgumentParser(description="Beat a naive script by forking.")
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--first", type=int, default=90_000, help="the first of them")
    parser.add_argument("--chaos", type=int, default=1, help="the chaos level")
    parser.add_argument("--url", help="a running stack; without it that of this machine, started if need be")
    parser.add_argument("--json", action="store_true", help="print every play as JSON, and nothing else")
    options = parser.parse_args()
    plays = []
    with CompanyosEnv(options.url) if options.url else CompanyosEnv.local() as env:
        for seed in range(options.first, options.first + options.seeds):
            plays += (pair := [play(env, seed, options.chaos, player) for player in PLAYERS])
            if not options.json:
                went = ("{player} {return:+.2f} in {seconds:.1f} s".format(**one) for one in pair)
                print(f"seed {seed}: ", ", ".join(went), flush=True)
    print(json.dumps(plays, indent=1) if options.json else table(plays))


def table(plays: Sequence[dict[str, Any]]) -> str:
    """Return what the plays of each player add up to."""
    lines = ["", "player   success   mean return   steps   forks   seconds (means over the seeds)"]
    for name in (player.__name__ for player in PLAYERS):
        mine = [one for one in plays if one["player"] == name]
        means = [mean(one[k] for one in mine) for k in ("success", "return", "steps", "forks", "seconds")]
        lines.append(f"{name:8}" + "{:8.0%} {:+13.2f} {:7.1f} {:7.1f} {:9.2f}".format(*means))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
