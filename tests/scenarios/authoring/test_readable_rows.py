"""Whatever a tool shows is equal in a counterfactual pair, except where a scenario declares that it is a clue."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from companyos.sdk.scenario import Instance

from .test_complaints import Spoilt, complaints, of_first

EQUAL = "Tools show equal rows for both of a pair, except in its readable clues"
DECLARED = "Every readable clue is a column that tools show"


def in_odd_seeds(change: Callable[[Instance], Instance]) -> Callable[[Instance], Instance]:
    """Return the change of one instance of each pair."""
    return lambda instance: change(instance) if instance.seed % 2 else instance


def without_the_last(service: str, table: str) -> Callable[[Instance], Instance]:
    """Return the removal of a table's last row."""

    def change(instance: Instance) -> Instance:
        tables = {**instance.rows[service], table: instance.rows[service][table][:-1]}
        return replace(instance, rows={**instance.rows, service: tables})

    return change


def turned_around(instance: Instance) -> Instance:
    """Return an instance that lists its tickets in the reverse order."""
    tables = {
        **instance.rows["ticketdesk"],
        "tickets": [*reversed(instance.rows["ticketdesk"]["tickets"])],
    }
    return replace(instance, rows={**instance.rows, "ticketdesk": tables})


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            of_first("ticketdesk", "tickets", description="Both are."),
            "seeds 0 and 1, level 0: ticketdesk.tickets.description of TD-",
        ),
        (of_first("datahub", "metrics", unit="boxes"), "differs, and tools show it: "),
        (without_the_last("ticketdesk", "tickets"), "in ticketdesk.tickets, which tools show"),
        (turned_around, "the rows of ticketdesk.tickets are in another order"),
    ],
)
def test_a_cause_that_leaks_into_what_tools_show_is_told(change, complaint):
    assert complaint in complaints(Spoilt(in_odd_seeds(change)))[EQUAL]


def test_a_column_that_is_declared_as_a_clue_may_differ_and_no_other_of_its_table():
    leaking = Spoilt(in_odd_seeds(of_first("ticketdesk", "tickets", description="Both are.")))
    leaking.readable_clues = ("ticketdesk.tickets.description",)
    elsewhere = Spoilt(in_odd_seeds(of_first("ticketdesk", "tickets", title="Another title")))
    elsewhere.readable_clues = ("ticketdesk.tickets.description",)

    assert complaints(leaking) == {}
    assert "ticketdesk.tickets.title of TD-" in complaints(elsewhere)[EQUAL]


def test_a_table_that_is_declared_as_a_clue_may_have_other_rows():
    leaking = Spoilt(in_odd_seeds(without_the_last("datahub", "documents")))
    leaking.readable_clues = ("datahub.documents",)

    assert EQUAL not in complaints(leaking)


def test_a_clue_that_no_tool_shows_is_told():
    mistyped = Spoilt(lambda it: it)
    mistyped.readable_clues = (
        "datahub.document.body",
        "datahub.documents.text",
        "crm.leads",
        "datahub.sources",
    )

    assert complaints(mistyped)[DECLARED].splitlines() == [
        *(
            f"{clue!r} is neither a table nor a column; write it like 'datahub.documents.body'"
            for clue in mistyped.readable_clues[:3]
        ),
        "'datahub.sources' is hidden from agents anyway",
    ]
