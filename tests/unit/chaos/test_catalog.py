"""The catalog: every fault of the design is there, complete, and used by some level."""

from itertools import pairwise

import pytest

from companyos.sdk.chaos import CATALOG, NAMES, FaultId, FaultSpec, Layer, Reach, parse_chaos

SPECS = [pytest.param(spec, id=spec.id.value) for spec in CATALOG.values()]


def test_every_fault_has_its_entry_in_the_order_of_its_layer():
    assert list(CATALOG) == list(FaultId)
    layers = [spec.layer for spec in CATALOG.values()]
    assert {layer: layers.count(layer) for layer in Layer} == {
        Layer.BUSINESS: 15,
        Layer.SERVICE: 17,
        Layer.EVENT: 8,
    }


@pytest.mark.parametrize("spec", SPECS)
def test_a_fault_says_what_it_does_how_it_shows_and_what_helps(spec: FaultSpec):
    assert all(text.strip() for text in (spec.does, spec.detect, spec.repair))
    assert spec.does.endswith(".")
    assert spec.cost >= 0
    assert spec.longest_burst >= 1
    assert spec.most_incidents >= 1
    assert spec.reach is Reach.ANY or spec.layer is Layer.SERVICE


@pytest.mark.parametrize("spec", SPECS)
def test_the_default_of_every_parameter_is_within_its_bounds(spec: FaultSpec):
    for name, parameter in spec.parameters.items():
        assert parameter.meaning, name
        profile = {"faults": {spec.id.value: {"p": 0.5, "params": {name: parameter.default}}}}
        assert parse_chaos(profile).fault(spec.id).params[name] == parameter.default


@pytest.mark.parametrize("spec", SPECS)
def test_every_fault_occurs_at_the_highest_level(spec: FaultSpec):
    assert parse_chaos("storm").fault(spec.id) is not None


def test_a_level_has_every_fault_of_the_one_before_but_for_what_it_replaces():
    for lower, upper in pairwise(NAMES[2:]):
        assert set(parse_chaos(lower).settings) <= set(parse_chaos(upper).settings)


def test_the_calm_level_has_nothing_at_all():
    calm = parse_chaos(0)

    assert calm.profile == {}
    assert calm.settings == {}


def test_a_consumer_that_is_down_for_longer_costs_another_look_every_ten_minutes() -> None:
    spec = CATALOG[FaultId.CONSUMER_DOWN]

    costs = [spec.cost_of({"window_s": seconds}) for seconds in (60, 600, 601, 3600)]

    assert costs == [spec.cost, spec.cost, 2 * spec.cost, 6 * spec.cost]
