"""Chaos settings at their bounds: what a profile may ask for, what it can cost, and where a fault may happen."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.chaos import (
    ALIASES,
    CATALOG,
    NAMES,
    ChaosRefused,
    FaultId,
    FaultSpec,
    Layer,
    Limits,
    Setting,
    cost_bound,
    parse_chaos,
)
from companyos.sdk.chaos.parse import MOST_COST
from tests.unit.chaos.profiles import profiles

SPECS = list(CATALOG.values())
NUMBERS = [
    (spec, name) for spec in SPECS for name, parameter in spec.parameters.items() if not parameter.options
]


def faults(spec: FaultSpec, **setting: Any) -> dict[str, Any]:
    return {"faults": {str(spec.id): {"p": 0.5, **setting}}}


def is_accepted(profile: dict[str, Any]) -> bool:
    """Whether a profile is accepted, or would be if it were cheaper."""
    try:
        parse_chaos(profile)
    except ChaosRefused as refused:
        return "no episode has room" in str(refused)
    return True


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
@pytest.mark.parametrize("key", ["B", "F"])
def test_bursts_and_incidents_go_from_one_to_the_most_of_the_fault(spec: FaultSpec, key: str) -> None:
    most = spec.longest_burst if key == "B" else spec.most_incidents

    accepted = [value for value in (0, 1, most, most + 1) if is_accepted(faults(spec, **{key: value}))]

    assert accepted == [1, most]


@pytest.mark.parametrize(("spec", "name"), NUMBERS, ids=lambda value: getattr(value, "id", value))
def test_a_number_of_a_fault_lies_between_its_bounds(spec: FaultSpec, name: str) -> None:
    low, high = spec.parameters[name].low, spec.parameters[name].high
    tried = [low - 1, low, high, high + 1]

    accepted = [value for value in tried if is_accepted(faults(spec, params={name: value}))]

    assert accepted == [low, high]


@pytest.mark.parametrize("p", [0, 1, 0.0, 1.0, 1e-9])
def test_a_chance_goes_from_never_to_always(p: float) -> None:
    assert is_accepted({"faults": {"svc.latency": {"p": p}}})


@pytest.mark.parametrize("p", [-0.001, 1.001, float("nan"), float("inf"), True, "half", "nan", None])
def test_invalid_probabilities_are_refused(p: Any) -> None:
    with pytest.raises(ChaosRefused, match=r"svc\.latency\.p is a number from 0 to 1"):
        parse_chaos({"faults": {"svc.latency": {"p": p}}})


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_the_defaults_of_a_fault_are_values_that_it_accepts(spec: FaultSpec) -> None:
    defaults = {name: parameter.default for name, parameter in spec.parameters.items()}

    whole, short = parse_chaos(faults(spec, params=defaults)), parse_chaos(faults(spec))

    assert whole.digest == short.digest


@pytest.mark.parametrize(
    ("steps", "is_fine"),
    [
        ([1, 1], True),
        ([3, 8], True),
        ([0, 1], False),
        ([8, 3], False),
        ([1], False),
        ([1, 2, 3], False),
        ([1.5, 2], False),
        ([True, 2], False),
        ("1-2", False),
    ],
    ids=str,
)
def test_steps_are_a_first_and_a_last_one(steps: Any, is_fine: bool) -> None:
    assert is_accepted({"faults": {"svc.latency": {"p": 1, "match": {"steps": steps}}}}) is is_fine


@pytest.mark.parametrize(
    ("layer", "key", "is_fine"),
    [
        (Layer.SERVICE, "service", True),
        (Layer.SERVICE, "operation", True),
        (Layer.SERVICE, "object", True),
        (Layer.SERVICE, "consumer", False),
        (Layer.EVENT, "event", True),
        (Layer.EVENT, "consumer", True),
        (Layer.EVENT, "object", True),
        (Layer.EVENT, "steps", False),
        (Layer.BUSINESS, "object", False),
    ],
)
def test_a_fault_is_matched_by_what_its_layer_knows(layer: Layer, key: str, is_fine: bool) -> None:
    spec = next(one for one in SPECS if one.layer is layer)

    assert is_accepted(faults(spec, match={key: "x"})) is is_fine


@pytest.mark.parametrize(("names", "is_fine"), [(0, False), (1, True), (50, True), (51, False)])
def test_a_match_names_at_least_one_place_and_not_too_many(names: int, is_fine: bool) -> None:
    match = {"object": [f"TD-{number}" for number in range(names)]}

    assert is_accepted({"faults": {"svc.latency": {"p": 1, "match": match}}}) is is_fine


@pytest.mark.parametrize(
    ("name", "is_fine"), [("x" * 200, True), ("x" * 201, False), ("ü", False), ("\n", False)]
)
def test_the_name_of_a_place_is_short_and_plain(name: str, is_fine: bool) -> None:
    assert is_accepted({"faults": {"svc.latency": {"p": 1, "match": {"object": name}}}}) is is_fine


def test_one_name_and_a_list_of_it_and_its_repetitions_are_the_same_place() -> None:
    digests = {
        parse_chaos({"faults": {"svc.latency": {"p": 1, "match": {"service": service}}}}).digest
        for service in ("desk", ["desk"], ["desk", "desk"])
    }

    assert len(digests) == 1


@pytest.mark.parametrize(
    ("limit", "accepted"),
    [
        ("service", [0, 20]),
        ("event", [0, 20]),
        ("stack", [1, 3]),
        ("cooldown", [0, 20]),
    ],
)
def test_every_limit_has_its_bounds(limit: str, accepted: list[int]) -> None:
    low, high = accepted

    found = [
        value
        for value in (low - 1, low, high, high + 1)
        if is_accepted({"faults": {"svc.latency": {"p": 1}}, "limits": {limit: value}})
    ]

    assert found == accepted


@pytest.mark.parametrize(
    ("business", "is_fine"),
    [
        ([0, 0], True),
        ([0, 15], True),
        ([14, 14], True),
        ([0, 16], False),
        ([-1, 3], False),
        ([4, 3], False),
        ([3], False),
        (3, False),
    ],
    ids=str,
)
def test_the_number_of_business_faults_is_a_range(business: Any, is_fine: bool) -> None:
    assert (
        is_accepted({"faults": {"biz.stale_metric": {"p": 1}}, "limits": {"business": business}}) is is_fine
    )


@pytest.mark.parametrize(
    ("setting", "where", "matches"),
    [
        ({}, {"step": 99, "service": "desk"}, True),
        ({"steps": [3, 5]}, {"step": 2}, False),
        ({"steps": [3, 5]}, {"step": 3}, True),
        ({"steps": [3, 5]}, {"step": 5}, True),
        ({"steps": [3, 5]}, {"step": 6}, False),
        ({"steps": [3, 5]}, {"step": None}, True),
        ({"service": ["desk"]}, {"service": "desk"}, True),
        ({"service": ["desk"]}, {"service": "hub"}, False),
        ({"service": ["desk"]}, {"operation": "get"}, True),
        ({"service": ["desk"], "operation": ["get"]}, {"service": "desk", "operation": "put"}, False),
    ],
    ids=str,
)
def test_a_fault_happens_where_every_given_coordinate_matches(
    setting: dict[str, Any], where: dict[str, Any], matches: bool
) -> None:
    assert Setting(1.0, match=setting).matches(**where) is matches


@settings(max_examples=20)
@given(profiles(), st.integers(0, 9), st.integers(0, 4))
def test_a_profile_with_tighter_limits_never_costs_more(
    profile: dict[str, Any], service: int, event: int
) -> None:
    loose = parse_chaos(profile)
    tight = {
        "service": min(service, loose.limits.service),
        "event": min(event, loose.limits.event),
    }

    tighter = parse_chaos({**profile, "limits": {**profile["limits"], **tight}})

    assert cost_bound(tighter) <= cost_bound(loose)


@settings(max_examples=20)
@given(profiles())
def test_business_faults_cost_nothing_where_they_cannot_come(profile: dict[str, Any]) -> None:
    chaos = parse_chaos(profile)
    others = parse_chaos({**profile, "except": ["business"], "faults": _without_business(profile)})

    assert cost_bound(chaos, business=()) == cost_bound(others)


def _without_business(profile: dict[str, Any]) -> dict[str, Any]:
    return {
        fault: setting
        for fault, setting in profile["faults"].items()
        if CATALOG[FaultId(fault)].layer is not Layer.BUSINESS
    }


@pytest.mark.parametrize("name", [*NAMES, *ALIASES])
def test_every_preset_fits_into_an_episode_and_is_plain_json(name: str) -> None:
    chaos = parse_chaos(name)

    assert cost_bound(chaos) <= MOST_COST
    assert json.loads(json.dumps(chaos.profile)) == chaos.profile


def test_every_level_can_cost_more_than_the_one_before() -> None:
    costs = [cost_bound(parse_chaos(level)) for level in range(len(NAMES))]

    assert costs[0] == 0
    assert costs == sorted(set(costs))


@pytest.mark.parametrize(
    ("window", "looks"), [(60, 1), (599, 1), (600, 1), (601, 2), (1200, 2), (1201, 3), (3600, 6)]
)
def test_a_fault_whose_end_nobody_shows_costs_a_look_every_ten_minutes(window: int, looks: int) -> None:
    spec = CATALOG[FaultId.CONSUMER_DOWN]

    assert spec.cost_of({"window_s": window}) == looks * spec.cost


def test_limits_that_are_not_given_are_those_of_the_preset_or_the_widest() -> None:
    custom = parse_chaos({"faults": {"svc.latency": {"p": 1}}})
    bad_day = parse_chaos({"preset": "bad-day", "faults": {"svc.latency": {"p": 1}}, "limits": {"stack": 2}})

    assert custom.limits == Limits()
    assert (bad_day.limits.service, bad_day.limits.stack) == (parse_chaos(3).limits.service, 2)
