"""What an agent makes of a rule in a list or in a document."""

from typing import Any

import pytest

from companyos.sdk.simtime import from_iso, to_iso
from scenarios.constrained_change.reading import _rule, _stated
from scenarios.constrained_change.statements import FREEZE, LAST

from .hand_built import KEY

NOON = "2032-05-03T12:00:00Z"
SHOWN = {
    "id": "AUT-1",
    "number": 1,
    "trigger": "asset.assigned",
    "when": [],
    "do": {"action": "return_asset", "with": {}},
    "paused": False,
    "active_from": None,
    "active_until": None,
    "announced": [],
}


def test_the_times_of_a_listed_rule_are_read() -> None:
    read = _rule("datahub", {**SHOWN, "active_from": to_iso(100), "active_until": to_iso(200)})

    assert (read.service, read.active_from, read.active_until) == ("datahub", 100, 200)


@pytest.mark.parametrize(
    ("notices", "paused", "begins"),
    [
        ([], True, None),
        ([{"at": to_iso(300), "notice": "AUT-1 will be renamed."}], True, None),
        ([{"at": to_iso(300), "notice": "AUT-1 is paused and resumes then."}], False, 300),
        (
            [{"at": to_iso(100), "notice": "Renamed."}, {"at": to_iso(300), "notice": "It resumes."}],
            False,
            300,
        ),
    ],
    ids=["nothing announced", "another change", "it resumes", "another change, then it resumes"],
)
def test_a_paused_rule_counts_from_when_it_resumes(
    notices: list[dict[str, str]], *, paused: bool, begins: int | None
) -> None:
    read = _rule("datahub", {**SHOWN, "paused": True, "announced": notices})

    assert (read.paused, read.active_from) == (paused, begins)


def test_a_rule_that_is_not_paused_does_not_wait_for_an_announcement() -> None:
    announced = [{"at": to_iso(300), "notice": "It resumes."}]

    assert _rule("datahub", {**SHOWN, "announced": announced}).active_from is None


@pytest.mark.parametrize(
    ("statement", "fields", "ends"),
    [(LAST, KEY.fields, None), (FREEZE, {**KEY.fields, "until": NOON}, from_iso(NOON))],
    ids=["without an end", "with an end"],
)
def test_a_stated_rule_ends_when_its_sentence_says(
    statement: Any, fields: dict[str, str], ends: int | None
) -> None:
    read = _stated("DOC-1/5", statement, fields)

    assert (read.id, read.service, read.trigger) == ("DOC-1/5", statement.service, statement.trigger)
    assert (read.when, read.do) == (statement.when(fields), statement.do(fields))
    assert (read.active_from, read.active_until) == (None, ends)
