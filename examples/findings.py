"""The results of the tree search, stored as JSON and shown in the README and on the page about worlds."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

FILE = Path(__file__).with_name("tree_search.json")
PLAYERS = {
    "naive": "the first move of every decision",
    "stubborn": "the same, and calls that fail are repeated",
    "search": "the same moves and the others, in forks",
}

Play = Mapping[str, Any]


def keep(plays: Sequence[Play], chaos: int) -> None:
    """Write the plays to the file, without times, so that equal plays give equal files."""
    kept = [{name: value for name, value in play.items() if name != "seconds"} for play in plays]
    lines = ",\n  ".join(json.dumps(play) for play in kept)
    FILE.write_text(f'{{"chaos": {chaos}, "plays": [\n  {lines}\n]}}\n', encoding="utf-8")


def sentence(found: Mapping[str, Any]) -> str:
    """Return a sentence on how many seeds the search and the script of first moves solve."""
    search, stubborn = (_plays(found, name) for name in ("search", "stubborn"))
    return (
        f"solves {_solved(search)} of {len(search)} seeds of `vendor_onboarding` at chaos {found['chaos']}; "
        f"the first move of every decision solves {_solved(stubborn)}."
    )


def markdown(found: Mapping[str, Any]) -> str:
    """Return the table of players, with means over the seeds."""
    seeds = [play["seed"] for play in _plays(found, "search")]
    played = f"{len(seeds)} seeds from {min(seeds):,} on, means over the seeds"
    heading = f"`vendor_onboarding` at chaos {found['chaos']}, {played}:"
    rows = [_row(f"{name}: {does}", _plays(found, name)) for name, does in PLAYERS.items()]
    return "\n".join(
        [heading, "", "| player | success | return | steps | forks |", "|---|---|---|---|---|", *rows]
    )


def _row(player: str, plays: Sequence[Play]) -> str:
    earned, steps, forks = (mean(play[name] for play in plays) for name in ("return", "steps", "forks"))
    return f"| {player} | {_solved(plays)} of {len(plays)} | {earned:+.2f} | {steps:.0f} | {forks:.0f} |"


def _plays(found: Mapping[str, Any], player: str) -> list[Play]:
    return [play for play in found["plays"] if play["player"] == player]


def _solved(plays: Sequence[Play]) -> int:
    return sum(bool(play["success"]) for play in plays)
