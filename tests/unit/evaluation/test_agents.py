"""Agents: what they see, what they draw, and that they do it again."""

import jsonschema_rs
import pytest

from companyos.evaluation.agents import DoNothing, OpenLoopPlan, Oracle, RandomPool, RandomSchema
from companyos.sdk.scenario import call

TEXT = "You are Ann Lee (ann.lee). Get ticket TD-1042 decided (vendor_approval)."
SCHEMA = {
    "type": "object",
    "properties": {
        "ticket_id": {"type": "string"},
        "priority": {"anyOf": [{"$ref": "#/$defs/Priority"}, {"type": "null"}]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 200},
        "amount": {"type": "number"},
        "urgent": {"type": "boolean"},
        "kind": {"const": "task"},
        "until": {"type": "string", "format": "date-time"},
        "evidence": {"type": "array", "items": {"type": "string"}},
        "fields": {"type": "object"},
        "note": {"type": "string"},
    },
    "required": ["ticket_id", "priority", "limit", "amount", "urgent", "kind", "until", "evidence", "fields"],
    "additionalProperties": False,
    "$defs": {"Priority": {"type": "string", "enum": ["low", "high"]}},
}


def shown(step: int = 0, *, text: str = TEXT, result=None):
    return {
        "text": text,
        "result": result,
        "error": None,
        "step": step,
        "sim_now": "2030-03-04T09:00:00Z",
        "tools": [{"name": "desk_tool", "input_schema": SCHEMA}],
    }


def played(agent, steps: int = 40) -> list[dict]:
    agent.start(shown())
    return [agent.act(shown(step, result={"id": f"MET-{100 + step}"})) for step in range(steps)]


def test_do_nothing_agent_only_waits():
    assert {action["tool_name"] for action in played(DoNothing())} == {"wait"}


def test_an_open_loop_plan_is_carried_out_and_then_finished():
    agent = OpenLoopPlan([call("wait", seconds=60), call("wait", seconds=61)])

    for _ in range(2):
        assert played(agent, 3) == [call("wait", seconds=60), call("wait", seconds=61), call("finish")]


@pytest.mark.parametrize("agent", [RandomPool, RandomSchema])
def test_a_random_agent_of_the_same_seed_does_the_same(agent):
    assert played(agent(5)) == played(agent(5))
    assert played(agent(5)) != played(agent(6))


def test_arguments_over_the_schema_are_valid_and_name_what_was_seen():
    validator = jsonschema_rs.validator_for(SCHEMA)

    actions = played(RandomSchema(1), 100)

    for action in actions:
        assert validator.is_valid(action["arguments"]), action
        assert action["arguments"]["ticket_id"] in {
            "TD-1042",
            "ann.lee",
            *(f"MET-{n}" for n in range(100, 200)),
        }


def test_an_oracle_whose_script_is_over_finishes():
    class Short:
        def oracle(self, observation):
            yield call("wait", seconds=60)

    oracle = Oracle(Short())
    oracle.start(shown())

    assert [oracle.act(shown()), oracle.act(shown(1))] == [call("wait", seconds=60), call("finish")]
