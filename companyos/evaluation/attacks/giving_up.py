"""What a profile pays for giving up: an oracle's episode abandoned at once, halfway, before its last call, or never."""

from collections.abc import Sequence

from companyos.sdk.scenario import Scenario

from .branches import Trainer
from .endings import ABANDON
from .logs import OracleLog


async def returns_of_giving_up(
    trainer: Trainer, scenario: Scenario, log: OracleLog, profile: str
) -> Sequence[float]:
    """Return four returns of an oracle's episode under a profile.

    The first three are those of an agent that gives up before the first call, after half of the calls, and after all
    of them but the one that ends the episode; the last is the oracle's own.
    """
    branch, last = await trainer.reset(scenario.name, log.seed, profile)
    stops, returns = (0, len(log.acts) // 2, len(log.acts)), []
    for number, action in enumerate(log.actions):
        for _ in range(stops.count(number)):
            (fork,) = await branch.fork(1)
            returns.append((await fork.step(ABANDON)).episode_return)
            await fork.close()
        last = await branch.step(action)
    await branch.close()
    return [*returns, last.episode_return]
