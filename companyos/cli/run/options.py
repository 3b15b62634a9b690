"""The options of `companyos run`, parsed and checked before anything starts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer

from companyos.chaos import ChaosRefused, parse_chaos
from companyos.evaluation.runs.request import ChaosSetting
from companyos.scenario import ScenarioUnknown, find, load_scenarios
from companyos.sdk.scenario_sources import SETTING

from ..certify import number, span
from ..chaos import read_profile


def parsed_scenarios(names: Sequence[str]) -> dict[str, int]:
    """Return the version of each scenario; of all of them if none was named.

    Raises:
        typer.BadParameter: A name is unknown.
    """
    try:
        chosen = [find(name) for name in names] or list(load_scenarios().values())
    except ScenarioUnknown as unknown:
        told = f"{unknown} For one of your own, set {SETTING} to its folder"
        raise typer.BadParameter(told, param_hint="--scenario") from None
    return {scenario.name: scenario.version for scenario in chosen}


def parsed_seeds(text: str) -> range:
    """Return the seeds of a number, counted from 0, or of a range such as 100-199.

    Raises:
        typer.BadParameter: It is neither, or names no seed.
    """
    if "-" in text:
        return span(text, "--seeds")
    if not (count := number(text, "--seeds")):
        raise typer.BadParameter("0 seeds play nothing. Give a number such as 20", param_hint="--seeds")
    return range(count)


def parsed_chaos(texts: Sequence[str]) -> list[ChaosSetting]:
    """Return chaos settings: levels, ranges of levels, names, profiles as JSON or in files.

    Raises:
        typer.BadParameter: One of them is none of these.
    """
    found = [setting for text in texts for setting in _settings(text)]
    return [setting for place, setting in enumerate(found) if setting not in found[:place]]


def _settings(text: str) -> Iterator[ChaosSetting]:
    first, dash, last = text.partition("-")
    if dash and first.isdigit() and last.isdigit():
        yield from span(text, "--chaos", most=5)
        return
    try:
        setting = read_profile(text)
        parse_chaos(setting)
    except (ChaosRefused, OSError, json.JSONDecodeError) as refused:
        raise typer.BadParameter(str(refused), param_hint="--chaos") from None
    yield setting


def parsed_settings(texts: Sequence[str]) -> Mapping[str, Any]:
    """Return the settings given as NAME=VALUE."""
    return dict(text.split("=", 1) for text in texts)
