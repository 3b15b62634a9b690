"""The calculator of capacity, by the example that its page begins with."""

import pytest

from companyos.cells.capacity import demand_of


def test_sixteen_thousand_rollouts_that_step_every_twenty_seconds_are_two_busy_cores() -> None:
    found = demand_of(16_000, 20.0)

    assert found.steps_s == 800
    assert found.busy_cores == pytest.approx(1.92)
    assert (found.cells, demand_of(1, 60.0).cells, demand_of(160_000, 20.0).cells) == (2, 1, 17)
    assert found.memory_mb == pytest.approx(2 * 310 + 560)
