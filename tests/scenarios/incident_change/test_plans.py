"""The drawn rates of an incident, and the fates that its plans give the two candidates."""

from itertools import chain

import pytest

from companyos.sdk.draws import Draws
from scenarios.incident_change import texts
from scenarios.incident_change.plans import PLANS, Fate, Plan, Rates, draw_rates
from scenarios.incident_change.reading import Rules, read_rules
from tests.scenarios.conftest import SALT

SEEDS = range(60)
both_severities = pytest.mark.parametrize("severity", [1, 2])


def rates_of(severity: int) -> list[Rates]:
    return [draw_rates(Draws(SALT, "rates", seed), severity) for seed in SEEDS]


def rules_of(rates: Rates, high: float) -> Rules:
    """Return the rules of an edition with this threshold of the upper band."""
    low = rates.matrix.low
    return read_rules(texts.write_handling(high, low, ("Monday", "Friday"), 20))


def ending(plan: Plan, fate: Fate) -> str:
    """Return how the rules end an incident of this plan in which the candidate of this fate is the cause."""
    if fate.by_provider:
        return "run_by_provider"
    if plan.severity != 1 or fate.freeze == "frozen":
        return "scheduled"
    return "recovered" if fate.mended_by else "handed_over"


@both_severities
def test_the_fresh_rate_and_the_edition_in_force_give_the_severity(severity: int) -> None:
    found = {
        rules_of(rates, rates.matrix.high).severity(rates.tier, rates.fresh) for rates in rates_of(severity)
    }

    assert found == {severity}


@both_severities
def test_the_old_rate_gives_another_severity(severity: int) -> None:
    found = {
        rules_of(rates, rates.matrix.high).severity(rates.tier, rates.shown) for rates in rates_of(severity)
    }

    assert severity not in found


@both_severities
def test_the_previous_edition_gives_another_severity_for_the_fresh_rate(severity: int) -> None:
    for rates in rates_of(severity):
        before = rules_of(rates, rates.matrix.before).severity(rates.tier, rates.fresh)

        assert before != severity


@both_severities
def test_the_upper_band_stays_above_the_lower_in_every_edition(severity: int) -> None:
    for rates in rates_of(severity):
        matrix = rates.matrix

        assert matrix.low < min(matrix.high, matrix.before, matrix.draft)
        assert len({matrix.high, matrix.before, matrix.draft}) == 3


@both_severities
def test_both_rates_are_above_the_lower_band_so_that_the_upper_decides(severity: int) -> None:
    for rates in rates_of(severity):
        assert min(rates.shown, rates.fresh) >= rates.matrix.low
        assert min(rates.shown, rates.fresh) < rates.matrix.high <= max(rates.shown, rates.fresh)


def test_severity_1_is_a_core_system_that_got_worse() -> None:
    assert {(rates.tier, rates.fresh > rates.shown) for rates in rates_of(1)} == {("core", True)}


def test_severity_2_is_a_standard_system_that_got_worse_or_a_core_system_that_got_better() -> None:
    found = {(rates.tier, rates.fresh > rates.shown) for rates in rates_of(2)}

    assert found == {("standard", True), ("core", False)}


def test_endings_of_a_pair_depend_on_the_cause() -> None:
    outcomes = {plan: [(ending(plan, fate), fate) for fate in plan.fates.values()] for plan in PLANS}

    assert all(first != second for first, second in outcomes.values())


def test_every_ending_occurs_and_a_provider_runs_about_one_cause_in_ten() -> None:
    endings = [ending(plan, fate) for plan in PLANS for fate in plan.fates.values()]

    assert set(endings) == {"recovered", "handed_over", "scheduled", "run_by_provider"}
    assert endings.count("run_by_provider") == len(endings) // 10


def test_each_way_to_mend_occurs_with_and_without_an_exception() -> None:
    urgent = [plan for plan in PLANS if plan.severity == 1]
    fates = set(chain.from_iterable(plan.fates.values() for plan in urgent))

    open_ones = {fate.mended_by for fate in fates if fate.freeze == "open" and not fate.by_provider}
    exempt = {fate.mended_by for fate in fates if fate.freeze == "exempt"}
    assert open_ones == exempt == {1, 2, None}


def test_plans_exempt_at_most_one_candidate() -> None:
    exempt = [[fate.freeze for fate in plan.fates.values()].count("exempt") for plan in PLANS]

    assert max(exempt) == 1
