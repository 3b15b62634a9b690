"""Every scenario has an environment card with every part, of the version it is about."""

from importlib import import_module
from pathlib import Path

from companyos.baselines import CARD_BEGIN, CARD_END

from .conftest import instance_of

PARTS = [
    "Story",
    "Tools",
    "Observation",
    "Start",
    "Reward",
    "Episode end",
    "Chaos",
    "Baselines",
    "Version history",
]


def card_of(scenario) -> str:
    source = import_module(type(scenario).__module__).__file__
    return Path(source).with_name("README.md").read_text(encoding="utf-8")


def test_a_card_has_every_part_in_order(scenario):
    lines = card_of(scenario).splitlines()

    assert lines[0] == f"# {scenario.title}"
    assert [line.removeprefix("## ") for line in lines if line.startswith("## ")] == PARTS


def test_a_card_tells_baselines_of_the_version_there_is(scenario):
    baselines = card_of(scenario).partition(CARD_BEGIN)[2].partition(CARD_END)[0]

    assert f"Version {scenario.version}," in baselines
    assert "| 1 | oracle | " in baselines
    assert f"- {scenario.version}: " in card_of(scenario).partition("## Version history")[2]


def test_a_card_names_every_milestone_a_seed_can_have(scenario):
    for seed in range(8):
        for milestone in instance_of(scenario, seed, 1).milestones:
            assert f"`{milestone.name}`" in card_of(scenario)
