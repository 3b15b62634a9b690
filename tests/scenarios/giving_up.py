"""Measure what each profile pays for giving up in every family, for the page of rewards: run with a URL, keeps it."""

import asyncio
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from companyos.evaluation.attacks import TrainerBranches
from companyos.evaluation.attacks.giving_up import returns_of_giving_up
from companyos.evaluation.attacks.logs import recorded
from companyos.evaluation.trainer import TrainerApi
from companyos.sdk.scenario import find
from docs.generate.rewards import GIVING_UP
from orchestrator.protocol.options import RewardProfile
from tests.families import ALL

SEED = 0


async def measured(
    url: str, names: Iterable[str], profiles: Iterable[str] = tuple(RewardProfile)
) -> dict[str, dict[str, list[float]]]:
    """Return the returns of each family and profile."""
    async with TrainerApi.opened(url, None, at_once=8) as api:
        trainer = TrainerBranches(api)
        found = {}
        for name in names:
            log = await recorded(trainer, find(name), SEED)
            found[name] = {
                str(profile): list(await returns_of_giving_up(trainer, find(name), log, profile))
                for profile in profiles
            }
        return found


if __name__ == "__main__":
    kept = asyncio.run(measured(sys.argv[1], ALL))
    Path(GIVING_UP).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
