"""The failure of a script is told with the scenario's own line, whichever library raised the exception."""

from pathlib import Path

import pytest

from companyos.evaluation.script_failures import script_failure
from companyos.sdk.scenario import Observation, Scenario, load_scenario
from companyos.sdk.scripts.asking import Asker, Refused

FOLDER = Path(__file__).parents[2] / "scenarios" / "outside" / "handover"
BEGUN: Observation = {
    "sim_now": "2030-03-04T09:00:00Z",
    "text": "You are Ada (ada.hill). See TD-1001.",
    "tools": [],
}
REFUSED = {"code": "ticket_unknown", "message": "There is no such ticket.", "retryable": False}


@pytest.fixture
def handover() -> Scenario:
    return load_scenario(FOLDER)


def failure_of(scenario: Scenario, *answers: Observation) -> Exception:
    """Return what the oracle of a scenario raises on these answers."""
    script = scenario.oracle(BEGUN)
    next(script)
    with pytest.raises((Refused, LookupError)) as raised:
        for answer in answers:
            script.send({**BEGUN, **answer})
    return raised.value


def test_a_refusal_names_the_line_of_the_scenario_and_not_that_of_the_sdk(handover: Scenario) -> None:
    told = script_failure(failure_of(handover, {"error": REFUSED, "result": None}), handover)

    assert not told.crashed
    assert told.reason.startswith("Refused: ")
    assert f"({FOLDER / 'scenario.py'}:" in told.reason


def test_a_missing_key_is_a_bug_with_its_line(handover: Scenario) -> None:
    told = script_failure(failure_of(handover, {"error": None, "result": {}}), handover)

    assert told.crashed
    assert told.reason.startswith("KeyError: ")
    assert f"({FOLDER / 'scenario.py'}:" in told.reason


def test_an_exception_that_never_passed_the_scenario_names_where_it_came_from(handover: Scenario) -> None:
    with pytest.raises(LookupError) as raised:
        Asker({**BEGUN, "text": "nothing"})

    assert "asking.py:" in script_failure(raised.value, handover).reason
