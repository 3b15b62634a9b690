"""The page of scenarios, with what their cards say of baselines and attacks."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from companyos.evaluation.agents import OMISSIONS
from companyos.evaluation.cards import SuccessRate, success_on
from companyos.sdk.scenario import load_scenarios

from .markdown import cell, document, table

ROOT = Path(__file__).parents[2]
#: How often the oracle had a next call, by family and number of deviations, as `tests.scenarios.advised` measured it.
ADVICE = Path(__file__).with_name("advice.json")

TEXT = (
    "Each family has an environment card next to its code and an [example "
    "episode](../explanation/episodes.md), told step by step. A held-out family is in the split `test` "
    "only, so training never sees anything like it."
)
MEASURED = (
    "Success in percent at chaos levels 0 and 3 over the seeds on the cards, which are few, in parentheses the "
    "[SPL](../how-to/run-an-evaluation.md#read-the-folder) of a success, and the number of steps of the oracle, which "
    "uses only tools and observations. *The twin's plan* is the right plan for the "
    "other seed of the pair. *Random* makes calls with ids of the company. The cards show every level, with "
    "intervals and returns."
)
OMITTED = (
    "Success in percent at the lowest and the highest level measured of the oracle [without one of its "
    "skills](../explanation/chaos.md#the-agents-of-the-curves), and in parentheses its SPL. The cards show the levels "
    "between, and the number of seeds."
)
ATTACKS = (
    "Results of `companyos attack`. A *loop* is a short sequence of calls, repeated from some point of an "
    "oracle's episode; it is *positive* if it keeps earning reward. A *plan* is an open-loop plan, found "
    "by hill climbing from the oracle's logs on other seeds. An *early* ending pays if a learner under `drill` does "
    "better by ending than by a call that costs nothing; all plans of three out of a few calls are tried, and longer "
    "ones. *Max attack return / oracle return* divides "
    "the mean return of the best plan by that of the oracle on the same seeds. No plan may solve both "
    "seeds of a *pair*, and no success may be *false*, that is, include anything forbidden, out of order "
    "or outside the task."
)
ADVISED = (
    "At how many of the states the oracle had a [next call](../explanation/worlds.md#ask-the-oracle-at-any-state) that "
    "leads to success, of the states asked about: at a quarter, half and three quarters of its solution of four "
    "instances at level 0, and after 1, 2 and 4 random calls there that were answered. Some do harm that nothing "
    "undoes."
)


def page() -> str:
    """Return the page."""
    return document(
        "Scenarios",
        TEXT,
        _listed(),
        "## Measured",
        MEASURED,
        _measured(),
        "## Skills left out",
        OMITTED,
        _omitted(),
        "## Attacks",
        ATTACKS,
        _attacks(),
        "## Advice",
        ADVISED,
        _advised(),
    )


def _listed() -> str:
    rows = [
        f"| [`{name}`](../../scenarios/{name}/README.md) | {scenario.version} | {cell(scenario.summary)} "
        f"| {', '.join(scenario.splits)} |"
        for name, scenario in load_scenarios().items()
    ]
    return table(["scenario", "version", "what the agent is asked", "splits"], rows)


#: The players in the table of measurements, by the names that the cards use.
_PLAYERS = {
    "oracle": "oracle",
    "open_loop_other": "the twin's plan",
    "random_pool": "random",
}


def _measured() -> str:
    """Return the table of results at levels 0 and 3, read from the cards."""
    rows = []
    for name in load_scenarios():
        card = _card(name)
        _, rates = success_on(card)
        shares = [_shares([rates[player, level] for level in (0, 3)]) for player in _PLAYERS]
        cells = re.findall(r"^\| 0 \| oracle \| (\d+) \| .* \| ([\d.]+) \|$", card, re.MULTILINE)
        (seeds, steps) = cells[0]
        rows.append(f"| `{name}` | {' | '.join([seeds, *shares, steps])} |")
    return table(["scenario", "seeds", *_PLAYERS.values(), "steps"], rows)


def _omitted() -> str:
    """Return the table of what each omission costs, read from the cards."""
    rows = []
    for name in load_scenarios():
        _, rates = success_on(_card(name))
        played = [
            [rate for (player, _), rate in sorted(rates.items()) if player == omission]
            for omission in OMISSIONS
        ]
        cells = [_shares([found[0], found[-1]]) if found else "–" for found in played]
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return table(["scenario", *(f"`{omission}`" for omission in OMISSIONS)], rows)


def _card(name: str) -> str:
    return (ROOT / "scenarios" / name / "README.md").read_text(encoding="utf-8")


def _shares(rates: Sequence[SuccessRate]) -> str:
    """Return success in percent, and the SPL in parentheses where it is known and not nothing."""
    shown = " / ".join(f"{100 * rate.success:.0f}" for rate in rates)
    weighted = [rate.spl for rate in rates if rate.spl is not None]
    if len(weighted) < len(rates) or not any(weighted):
        return shown
    return f"{shown} ({' / '.join(f'{100 * spl:.0f}' for spl in weighted)})"


#: The values read from the section on attacks that `companyos attack` writes into a card, in order.
_ATTACKS = (
    r"(\d+) loops of \d+ calls, .*? \| (\d+) keep earning; .*?(\d+) plans on .*? \| (\d+) solve both seeds of a pair; "
    r"(\d+) false successes.*?(\d+) endings beat going on.*?Max attack return / oracle return: (.*?), means"
)


_ATTACK_COLUMNS = (
    "scenario",
    "loops",
    "positive",
    "plans",
    "max attack return / oracle return",
    "pairs",
    "false",
    "early",
)


def _attacks() -> str:
    """Return the table of attack results, read from the cards."""
    rows = []
    for name in load_scenarios():
        found = re.search(_ATTACKS, _card(name), re.DOTALL)
        loops, positive, plans, pairs, false, early, ratio = found.groups() if found else ("–",) * 7
        rows.append(f"| `{name}` | {loops} | {positive} | {plans} | {ratio} | {pairs} | {false} | {early} |")
    return table(_ATTACK_COLUMNS, rows)


def _advised() -> str:
    """Return the table of states at which the oracle had a next call."""
    kept: Mapping[str, Mapping[str, list[int]]] = json.loads(ADVICE.read_text(encoding="utf-8"))
    deviations = next(iter(kept.values()))
    rows = [
        f"| `{name}` | {' | '.join(f'{answered} of {asked}' for asked, answered in counts.values())} |"
        for name, counts in kept.items()
    ]
    return table(["scenario", *(f"after {count}" for count in deviations)], rows)
