"""The catalog: every fault of the design is there, complete, and used by some level."""

from itertools import pairwise

import pytest

from companyos.sdk.chaos import CATALOG, NAMES, FaultId, FaultSpec, Layer, parse_chaos

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
def test_every_fault_occurs_at_the_highest_level(spec: FaultSpec):
    assert parse_chaos("storm").fault(spec.id) is not None


def test_a_level_has_every_fault_of_the_one_before_but_for_what_it_replaces():
    for lower, upper in pairwise(NAMES[2:]):
        assert set(parse_chaos(lower).settings) <= set(parse_chaos(upper).settings)


def test_the_calm_level_has_nothing_at_all():
    calm = parse_chaos(0)

    assert calm.profile == {}
    assert calm.settings == {}
