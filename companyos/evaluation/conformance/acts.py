"""Acts beside the oracle's plan, on a running stack: harmful ones cost success, and honest ones keep it."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

from companyos.evaluation.attacks.branches import TrainerBranches
from companyos.evaluation.attacks.extra_acts import ExtraActSearch, ExtraPlay, Extras
from companyos.evaluation.attacks.logs import recorded
from companyos.evaluation.trainer import TrainerApi
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Scenario

from .claims import Complaints, Tally, Verdict

ACTS: Final = 24
VARIANTS: Final = 8

Tell = Callable[[int, int], None]


def check_acts(
    scenario: Scenario, url: str, token: str | None, *, pairs: int = 1, progress: Tell | None = None
) -> Iterator[Verdict]:
    """Yield the verdicts on extra acts and honest variants of the oracle's plan, without chaos.

    Args:
        scenario: The scenario, which the stack must offer.
        url: The trainer API of the stack, which must use the published salt.
        token: Its token.
        pairs: Number of counterfactual pairs to play on.
        progress: Called with the number of finished instances and the total.
    """
    punished = Tally("An extra act costs success, unless an allowance says why it is harmless")
    kept = Tally("Waiting, reading again and repeating a lost call keep success")
    for seed in range(2 * pairs):
        if (extras := asyncio.run(_search(scenario, url, token, seed))) is not None:
            punished.add(_false_successes(extras), where=f"seed {seed}")
            kept.add(_false_failures(extras), where=f"seed {seed}")
        if progress is not None:
            progress(seed + 1, 2 * pairs)
    yield from (punished.verdict, kept.verdict)


async def _search(scenario: Scenario, url: str, token: str | None, seed: int) -> Extras | None:
    """Return what was found on a seed; None where the oracle fails, which other claims complain about."""
    async with TrainerApi.opened(url, token, at_once=2) as api:
        trainer = TrainerBranches(api)
        log = await recorded(trainer, scenario, seed)
        draws = Draws("companyos-conformance", scenario.name, scenario.version)
        return (
            await ExtraActSearch(trainer, scenario, log, draws).play(ACTS, VARIANTS) if log.success else None
        )


def _false_successes(extras: Extras) -> Complaints:
    for play in extras.acts:
        if play.is_false_success:
            yield f"{_description(play)} wrote more of {', '.join(play.beyond)} than the task needs, and succeeded"


def _false_failures(extras: Extras) -> Complaints:
    for play in extras.variants:
        if not play.success:
            yield f"{_description(play)} made it fail: {'; '.join(play.missed)}"


def _description(play: ExtraPlay) -> str:
    acts = " and ".join(f"{act['tool_name']} {act['arguments']}" for act in play.acts)
    return f"after {play.after} calls of the oracle, {acts}"
