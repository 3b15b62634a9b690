"""Shared code of the adapters: the connection to a stack, and the columns of a data set: reset options and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from companyos.client import AsyncCompanyosEnv, CompanyosBatch, CompanyosEnv, CompanyosError, Result
from companyos.client.pages.door import ABANDON
from companyos.client.pages.pixel_door import PixelDoorEnv
from companyos.client.pages.text_door import TextDoorEnv
from companyos.client.plain_values import is_missing, plain
from companyos.sdk.plain_numbers import whole

#: The columns of a dataset that are passed on to a reset; adapters ignore all others.
RESET_OPTIONS: Final = (
    "scenario",
    "seed",
    "chaos",
    "rewards",
    "reward_mode",
    "max_steps",
    "size",
    "snapshot",
    "start",
    "tools",
    "guidance",
    "tools_format",
    "observation_format",
)

#: The reward profile of training unless another is asked for: a policy in it never learns to give up.
REWARDS: Final = "drill"
#: The clients by the door through which their agents act.
DOORS: Final = {"tools": CompanyosEnv, "text": TextDoorEnv, "screenshot": PixelDoorEnv}
#: The options that a snapshot decides, because they decide the world.
_WORLD: Final = ("scenario", "seed", "chaos", "size", "start")


class EpisodeInvalid(RuntimeError):
    """The environment failed during the episode, so it must not be scored."""


def connect(
    base_url: str | None = None, headers: Mapping[str, str] | None = None, *, door: str = "tools"
) -> CompanyosEnv:
    """Return a client with its own persistent connection.

    It uses HTTP rather than a WebSocket, because frameworks leave environments open when a program ends, and
    the thread of an open WebSocket would keep the program running.

    Args:
        base_url: URL of the trainer API; by default the stack on this machine, which is started if necessary.
        headers: Headers of every request, for a proxy in front of the server.
        door: `tools`, or how an agent sees the pages in which it acts: as `text`, or as a `screenshot`.
    """
    url, token = stack_of(base_url)
    return DOORS[door](url, token=token, headers=headers)


def stack_of(base_url: str | None = None) -> tuple[str, str | None]:
    """Return the URL of the trainer API and its token; None means the token in COMPANYOS_TRAINER_TOKEN.

    Raises:
        StackError: No stack runs on this machine and none can start; the message says what to do.
    """
    if base_url:
        return base_url, None
    from companyos.embedded.detached import start_detached
    from companyos.embedded.home import Home

    home = Home.at(None)
    stack = home.lasting() or start_detached(home)
    return stack.url, stack.trainer_token


async def connect_async(
    base_url: str | None = None, headers: Mapping[str, str] | None = None
) -> AsyncCompanyosEnv:
    """Return an asynchronous client of the same stack that `connect` plays on."""
    from asyncio import to_thread

    url, token = await to_thread(stack_of, base_url)
    return AsyncCompanyosEnv(url, token=token, headers=headers)


def options_in(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a row that are options of a reset, except empty ones.

    Tables fill what a row lacks with None, NaN or empty text.
    """
    return {name: row[name] for name in RESET_OPTIONS if not is_missing(row.get(name))}


def reset_of(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a reset; later layers override earlier ones.

    A snapshot decides the world, and a reset refuses what would contradict it, such as an adapter's defaults.
    """
    options = {name: value for layer in layers for name, value in layer.items()}
    decided = ("snapshot",) if options.get("snapshot") is None else _WORLD
    return {name: value for name, value in options.items() if name not in decided}


def whole_number(value: Any, name: str) -> int:
    """Return the whole number that a value can only mean: 7, 7.0, "7", or one of a numeric library.

    Raises:
        ValueError: It means none. The message begins with `name`.
    """
    found = whole(plain(value))
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    raise ValueError(f"{name}: {value!r} is no whole number")


def final_result(env: CompanyosEnv, result: Result) -> Result:
    """Return the last result of a rollout; if the agent stopped before its episode ended, end it first."""
    return result if result.done else env.abandon()


def settle(env: CompanyosEnv, result: Result | None) -> Result | None:
    """End the episode of the latest result if its user leaves it early, and return its last result.

    Returns None if there is no such episode, or if nobody can end it any more.
    """
    if result is None or result.done:
        return None
    try:
        return env.abandon()
    except CompanyosError:
        return None


def settle_some(
    batch: CompanyosBatch, results: Sequence[Result], chosen: Sequence[bool]
) -> dict[int, Result]:
    """Do what `settle` does for the chosen episodes of a batch; return the last results by number.

    Args:
        batch: The episodes.
        results: The latest result of each; empty before the first reset.
        chosen: Which of them are left.
    """
    left = [index for index, result in enumerate(results) if chosen[index] and not result.done]
    try:
        return batch.step(dict.fromkeys(left, ABANDON))
    except CompanyosError:
        return {}


def return_of(result: Result) -> float:
    """Return the sum of the rewards so far.

    Raises:
        EpisodeInvalid: The environment failed during the episode.
    """
    if result.metadata.get("invalid"):
        raise EpisodeInvalid("the environment failed during this episode; do not score it")
    return float(result.metadata.get("episode_return") or 0.0)
