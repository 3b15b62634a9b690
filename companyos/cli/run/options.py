"""The options of `companyos run`, parsed and checked before anything starts."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import typer

from companyos.evaluation.runs import AgentSpec, Budgets, RunRequest
from companyos.evaluation.runs.request import ChaosSetting, Door
from companyos.sdk.chaos import ChaosRefused, parse_chaos
from companyos.sdk.scenario import ScenarioUnknown, find, load_scenarios
from companyos.sdk.scenario_sources import SETTING
from companyos.sdk.splits import SEEDS, Split

from ..chaos import read_profile
from ..commands.numbers import number, span
from ..commands.run_options import RunOptions

GUIDANCE: Final = ("none", "pointers", "full")
TOOLS_FORMATS: Final = ("schemas", "signatures")
OBSERVATION_FORMATS: Final = ("full", "compact")
REWARDS: Final = ("seed", "potential", "progress", "sparse", "drill")
SIZES: Final = ("small", "default", "large", "huge")
MOST_ROWS: Final = 200_000
MILESTONE: Final = "milestone:"
#: Names of tool sets that a reset accepts.
TOOLSETS: Final = ("scenario", "all")


def request_of(options: RunOptions, agent: AgentSpec, scenarios: dict[str, int]) -> RunRequest:
    """Return the request that the options ask for.

    Args:
        options: The options.
        agent: The agent.
        scenarios: The version of each scenario.

    Raises:
        typer.BadParameter: An option cannot be used as given.
    """
    episodes = options.episodes
    return RunRequest(
        agent=agent,
        scenarios=scenarios,
        seeds=tuple(parsed_seeds(episodes.seeds, _split(episodes.split))),
        chaos=tuple(parsed_chaos(episodes.chaos or ["1"])),
        split=episodes.split,
        repeats=episodes.repeats,
        rewards=_one_of(REWARDS, episodes.rewards, "--rewards"),
        guidance=_one_of(GUIDANCE, episodes.guidance, "--guidance"),
        size=parsed_size(episodes.size),
        start=parsed_start(episodes.start),
        snapshot=episodes.snapshot,
        tools_format=_one_of(TOOLS_FORMATS, episodes.tools_format, "--tools-format"),
        observation_format=_one_of(OBSERVATION_FORMATS, episodes.observation_format, "--observation-format"),
        door=Door(_one_of(tuple(Door), episodes.door, "--door")),
        tools=parsed_tools(episodes.tools or ["scenario"]),
        concurrency=options.concurrency,
        budgets=Budgets(**asdict(options.budgets)),
        oracle=options.oracle,
        turn_timeout_s=options.turn_timeout_s,
    )


def local_scenarios(
    names: Sequence[str], split: str | None = None, *, option: str = "scenarios"
) -> dict[str, int]:
    """Return the versions of the named scenarios as installed here; all of the split if none is named.

    Args:
        names: The names, as given with `option`.
        split: The split that they have to belong to; None for any.
        option: The option.

    Raises:
        typer.BadParameter: A name is unknown, or its scenario does not belong to the split.
    """
    try:
        chosen = [find(name) for name in names or load_scenarios()]
    except ScenarioUnknown as unknown:
        message = f"{unknown} For one of your own, set {SETTING} to its folder"
        raise typer.BadParameter(message, param_hint=option) from None
    within = names_in_split({scenario.name: scenario.splits for scenario in chosen}, names, split)
    return {scenario.name: scenario.version for scenario in chosen if scenario.name in within}


def names_in_split(
    splits: Mapping[str, Sequence[str]], named: Sequence[str], split: str | None
) -> Sequence[str]:
    """Return the named scenarios, or else all scenarios, that belong to a split.

    Args:
        splits: The splits of each scenario, by its name.
        named: Names of scenarios that were asked for; empty for all.
        split: The split; None for any.

    Raises:
        typer.BadParameter: One that was asked for does not belong to the split.
    """
    within = [name for name, belongs in splits.items() if split is None or split in belongs]
    if outside := [name for name in named if name not in within]:
        of = " and ".join(splits[outside[0]])
        message = f"{outside[0]} does not belong to the {split} split; it is held out for {of}"
        raise typer.BadParameter(message, param_hint="scenarios")
    return [name for name in named or within if name in within]


def parsed_seeds(text: str, split: Split | None = None) -> range:
    """Parse a number of seeds counted from 0, or a range such as 100-199; within the split if one is given.

    Raises:
        typer.BadParameter: It is neither, or has no seed, or has more seeds than the split.
    """
    seeds = span(text, "--seeds") if "-" in text else range(number(text, "--seeds"))
    if not seeds:
        raise typer.BadParameter("0 seeds play nothing. Give a number such as 20", param_hint="--seeds")
    if split is None:
        return seeds
    if seeds[-1] >= len(SEEDS[split]):
        message = f"the {split} split has {len(SEEDS[split])} seeds, counted from 0"
        raise typer.BadParameter(message, param_hint="--seeds")
    return SEEDS[split][seeds[0] : seeds[-1] + 1]


def parsed_chaos(texts: Iterable[str]) -> list[ChaosSetting]:
    """Parse chaos settings without duplicates: levels, ranges, names, profiles as JSON or in files.

    Raises:
        typer.BadParameter: One of them is none of these.
    """
    found = [setting for text in texts for setting in _settings(text)]
    return [setting for index, setting in enumerate(found) if setting not in found[:index]]


def parsed_tools(names: Sequence[str]) -> str | tuple[str, ...]:
    """Return the tools in the form that a reset accepts: the name of a set, or names of tools.

    Raises:
        typer.BadParameter: A set is combined with other names.
    """
    if len(names) == 1 and names[0] in TOOLSETS:
        return names[0]
    if sets := [name for name in names if name in TOOLSETS]:
        message = f"{sets[0]!r} is a whole set and stands alone; give it once, or names of tools"
        raise typer.BadParameter(message, param_hint="--tools")
    return tuple(names)


def _settings(text: str) -> Iterator[ChaosSetting]:
    first, dash, last = text.partition("-")
    if dash and first.isdigit() and last.isdigit():
        yield from span(text, "--chaos", most=5)
        return
    try:
        setting = read_profile(text)
        parse_chaos(setting)
    except json.JSONDecodeError as refused:
        raise typer.BadParameter(f"{text} is not JSON: {refused}", param_hint="--chaos") from None
    except (ChaosRefused, OSError) as refused:
        raise typer.BadParameter(str(refused), param_hint="--chaos") from None
    yield setting


def _split(name: str | None) -> Split | None:
    return None if name is None else Split(_one_of(tuple(Split), name, "--split"))


def parsed_size(text: str | None) -> str | int | None:
    """Return the size of a company, a name or a number of rows.

    Raises:
        typer.BadParameter: There is no such size.
    """
    if text is None or not (text.isascii() and text.isdecimal()):
        return text if text is None else _one_of(SIZES, text, "--size")
    if not 1 <= int(text) <= MOST_ROWS:
        raise typer.BadParameter(f"a number of rows is from 1 to {MOST_ROWS}", param_hint="--size")
    return int(text)


def parsed_start(text: str | None) -> dict[str, Any] | None:
    """Return the start of episodes in the form that a reset accepts; None for the brief.

    Raises:
        typer.BadParameter: It is neither a number of calls nor a milestone.
    """
    if text is None:
        return None
    place, _, count = text.partition("=")
    if place in ("calls", "calls_left") and count.isascii() and count.isdecimal():
        return {place: int(count)}
    if text.startswith(MILESTONE) and text != MILESTONE:
        return {"until": text}
    message = f"{text!r} is no start. Give calls=N, calls_left=N or {MILESTONE}NAME"
    raise typer.BadParameter(message, param_hint="--start")


def _one_of(known: Sequence[str], name: str, option: str) -> str:
    if name not in known:
        raise typer.BadParameter(f"there is no {name!r}. Choose from: {', '.join(known)}", param_hint=option)
    return name
