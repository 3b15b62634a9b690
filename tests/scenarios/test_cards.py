"""Every scenario of the repository has an environment card with its baselines and milestones."""

from pathlib import Path

import pytest

from companyos.evaluation.attacks.report import ATTACKS_BEGIN, ATTACKS_END
from companyos.evaluation.cards import CARD_BEGIN, CARD_END
from companyos.sdk.scenario import Scenario, find, folder_of, load_scenarios

from .conftest import instance_of

ROOT = Path(__file__).parents[2]

OWN = sorted(name for name, one in load_scenarios().items() if folder_of(one).parent == ROOT / "scenarios")


@pytest.fixture(params=OWN)
def scenario(request) -> Scenario:
    """Each scenario of the repository; others have cards too, and keep them as they like."""
    return find(request.param)


def card_of(scenario) -> str:
    return (folder_of(scenario) / "README.md").read_text(encoding="utf-8")


def test_a_card_tells_baselines_of_the_version_there_is(scenario):
    baselines = card_of(scenario).partition(CARD_BEGIN)[2].partition(CARD_END)[0]

    assert f"Version {scenario.version}," in baselines
    assert "| 1 | oracle | " in baselines
    assert f"- {scenario.version}: " in card_of(scenario).partition("## Version history")[2]


def test_a_card_tells_what_attacks_found_in_the_version_there_is(scenario):
    attacks = card_of(scenario).partition(ATTACKS_BEGIN)[2].partition(ATTACKS_END)[0]

    assert f"Attacks on version {scenario.version}," in attacks
    assert "| 0 keep earning;" in attacks
    assert "| 0 solve both seeds of a pair; 0 false successes;" in attacks
    assert (
        "| 0 endings beat going on; giving up at once earns 0.00, no failure without harm less than 0.00;"
        in attacks
    )


def test_a_card_names_every_milestone_a_seed_can_have(scenario):
    for seed in range(8):
        for milestone in instance_of(scenario, seed, 1).milestones:
            assert f"`{milestone.name}`" in card_of(scenario)
