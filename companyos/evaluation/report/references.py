"""Success of scripted agents as the scenarios' cards have it, to read that of a run against."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Final

from companyos.sdk.scenario import ScenariosUnusable, ScenarioUnknown, find, folder_of

from ..cards import SuccessRate, success_on

#: The agents of a card that a report shows, by the names that `companyos run --agent` has for them: with every skill,
#: with a flaw that shows where calls fail, with one that shows in the tasks themselves, and with no skill at all.
REFERENCES: Final = {
    "oracle": "oracle",
    "retries_nothing": "retries_nothing",
    "believes_claims": "believes_claims",
    "random": "random_pool",
}


def reference_rates(versions: Mapping[str, int], levels: Sequence[int | str]) -> dict[str, SuccessRate]:
    """Return the mean success of each reference in these scenarios at these chaos levels.

    A reference is left out where a card has not measured it at one of the levels, or in another version.

    Args:
        versions: The version of each scenario.
        levels: At least one.
    """
    cards = [_rates(name, version) for name, version in versions.items()]
    found = {
        name: [card.get((on_card, level)) for card in cards for level in levels]
        for name, on_card in REFERENCES.items()
    }
    return {
        name: SuccessRate(mean(one.success for one in known), _mean_spl(known))
        for name, rates in found.items()
        if len(known := [rate for rate in rates if rate is not None]) == len(rates) > 0
    }


def _mean_spl(rates: Sequence[SuccessRate]) -> float | None:
    known = [one.spl for one in rates if one.spl is not None]
    return mean(known) if len(known) == len(rates) else None


def _rates(name: str, version: int) -> Mapping[tuple[str, int | str], SuccessRate]:
    try:
        card = (folder_of(find(name)) / "README.md").read_text(encoding="utf-8")
    except (ScenarioUnknown, ScenariosUnusable, OSError):
        return {}
    measured, rates = success_on(card)
    return rates if measured == version else {}
