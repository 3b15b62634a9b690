"""Compare the step speed of two running stacks, in turns: `python -m tests.benchmarks.against URL URL_OF_THE_OTHER`.

Start each from its own checkout first: `companyos up --detach --port 0 --home FOLDER`. More than 1 means that the first
is faster.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable
from statistics import median

import aiohttp

from .figures import timed
from .trainer import Call, Episode, Trainer

KINDS: dict[str, Callable[[Episode], Call]] = {
    "read": Episode.read,
    "write": Episode.write,
    "settled": Episode.settled,
}
STEPS = 40
#: The least speed over that of the other stack.
LEAST = 0.98


async def round_s(trainer: Trainer, kind: Callable[[Episode], Call]) -> float:
    """Return the median time of a step in an episode of its own."""
    episode = await (await trainer.reset()).prepare()
    return median(await timed(lambda: episode.step(kind(episode)), STEPS))


async def compare(urls: tuple[str, str], rounds: int) -> dict[str, float]:
    """Return, for each kind of step, how many times as fast the first stack is: the median of all rounds' ratios."""
    ratios: dict[str, list[float]] = {name: [] for name in KINDS}
    async with aiohttp.ClientSession() as session:
        stacks = [Trainer(url, session) for url in urls]
        for number in range(rounds + 1):
            for name, kind in KINDS.items():
                order = (0, 1) if number % 2 else (1, 0)
                times = {which: await round_s(stacks[which], kind) for which in order}
                if number:  # The first round warms up.
                    ratios[name].append(times[1] / times[0])
    return {name: median(all_of_them) for name, all_of_them in ratios.items()}


def main() -> int:
    """Print the ratios, and return 0 if none is below what is asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url")
    parser.add_argument("other")
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    ratios = asyncio.run(compare((options.url, options.other), options.rounds))
    for name, ratio in ratios.items():
        print(f"{name:8} {ratio:.3f} x")
    return 0 if min(ratios.values()) >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
