"""The oracle has a next call at every state of its own, as the page of scenarios says."""

import json

import pytest

from docs.generate.scenarios import ADVICE
from tests.families import ALL
from tests.sizes import size

from .advised import PLACES, SEEDS, measured


@pytest.mark.proof
@pytest.mark.parametrize("name", size(["expense_report"], ALL))
def test_the_page_says_how_often_the_oracle_has_a_next_call(url: str, name: str) -> None:
    kept = json.loads(ADVICE.read_text(encoding="utf-8"))[name]
    seeds, places = size((SEEDS[:1], PLACES[1:2]), (SEEDS, PLACES))

    today = measured(url, [name], seeds, places)[name]

    assert today["0"] == [len(seeds) * len(places)] * 2
    assert today == size(today, kept), "run `python -m tests.scenarios.advised URL`"


@pytest.mark.parametrize("name", ALL)
def test_at_a_state_of_its_own_the_oracle_always_has_a_next_call(name: str) -> None:
    asked, answered = json.loads(ADVICE.read_text(encoding="utf-8"))[name]["0"]

    assert asked == answered > 0
