"""An agent that has the plan but has not read this company's documents and messages fails."""

from collections import defaultdict
from itertools import chain

import pytest

from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import load_scenarios
from tests.families import EVERY_SHAPE
from tests.scenarios.play import play
from tests.sizes import size

from .conftest import Patient

pytestmark = pytest.mark.proof

#: The tools that show what people wrote.
READING = {
    "datahub_get_document",
    "datahub_get_message",
    "datahub_list_messages",
    "datahub_search_documents",
}
AT_MOST = 0.05
#: How many of a family's episodes are played again with what was written elsewhere.
MISREAD = size(2, 50)


class Misread:
    """Plays as another agent does, which is shown what was written in another company.

    The nth answer of a tool that shows texts is the nth that this tool gave in the other episodes, taken one after
    another: an episode may have read less than this one asks for.
    """

    def __init__(self, agent, elsewhere):
        self._agent = agent
        self._answers = defaultdict(list)
        for call in chain.from_iterable(elsewhere):
            self._answers[call.tool].append(call.observation["result"])
        self._asked = None

    def start(self, observation):
        self._agent.start(observation)

    def act(self, observation):
        answers = self._answers[self._asked] if self._asked in READING else []
        shown = (
            {**observation, "result": answers.pop(0)} if answers and not observation["error"] else observation
        )
        action = self._agent.act(shown)
        self._asked = action["tool_name"]
        return action


@pytest.mark.parametrize("name", EVERY_SHAPE)
def test_the_plan_is_worth_nothing_without_what_is_written(url, solved, name):
    scenario, episodes = load_scenarios()[name], solved(name)

    right = [
        here.instance.seed
        for number, here in enumerate(episodes[:MISREAD])
        if play(
            url, scenario, here.instance.seed, Patient(Misread(Oracle(scenario), elsewhere(episodes, number)))
        ).success
    ]

    assert all(READING & {*one.tools} for one in episodes)
    assert len(right) <= AT_MOST * MISREAD, right


def elsewhere(episodes, number):
    """Return the calls of the episodes about other companies, beginning with the next pair."""
    pair = number - number % 2
    return [one.calls for one in [*episodes[pair + 2 :], *episodes[:pair]]]
