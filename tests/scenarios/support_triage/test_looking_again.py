"""How the employees at the support desk deal with colleagues who take tickets and customers who write again."""

import pytest

from companyos.sdk.simtime import HOUR, MINUTE
from scenarios.support_triage.scenario import SCENARIO

from .intake import NOW, Intake, Written, ticket

INVOICE = "Copy of INV-1234"
SECOND = "INV-1234 is all right. How do we rotate KEY-5678?"


def worked(*written: Written, agent: str = "oracle", taken: int | None = None) -> Intake:
    """Return the desk after an agent has worked it; `taken` is when a colleague takes TD-1."""
    intake = Intake(ticket("TD-1", INVOICE))
    intake.comments = list(written)
    intake.taken = {} if taken is None else {"TD-1": taken}
    intake.worked_by(getattr(SCENARIO, agent))
    return intake


@pytest.mark.parametrize("agent", ["oracle", "careful", "naive"])
def test_a_ticket_that_is_assigned_is_left(agent: str) -> None:
    assert worked(agent=agent, taken=NOW).acts("TD-1") == []


def test_a_ticket_that_is_taken_after_it_was_read_is_left() -> None:
    intake = Intake(ticket("TD-1", INVOICE), ticket("TD-2", "Rotate KEY-1234", "ACC-1", age_s=MINUTE))
    # The clock stands still while an agent reads, so the search for TD-2's article marks TD-1 as taken.
    search = intake.datahub_search_documents

    def taken_meanwhile(**given: str) -> object:
        intake.taken = {"TD-1": intake.now} if given["q"] == "API key" else intake.taken
        return search(**given)

    intake.datahub_search_documents = taken_meanwhile  # type: ignore[method-assign,assignment]
    intake.worked_by(SCENARIO.oracle)

    assert intake.acts("TD-1") == []
    assert intake.acts("TD-2")


def test_who_wrote_again_before_the_ticket_was_read_gets_one_answer() -> None:
    acts = worked(Written("TD-1", NOW + MINUTE, SECOND)).acts("TD-1")

    assert [how for act, how in acts if act == "answer"] == [["DOC-keys"]]


def test_who_writes_again_after_the_answer_gets_another() -> None:
    acts = worked(Written("TD-1", NOW + HOUR, SECOND)).acts("TD-1")

    assert [how for act, how in acts if act == "answer"] == [["DOC-invoices"], ["DOC-keys"]]
    assert [how for act, how in acts if act == "route"] == ["billing", "care"]


def test_who_writes_the_same_again_gets_no_other_answer() -> None:
    acts = worked(Written("TD-1", NOW + HOUR, "Any news about INV-1234?")).acts("TD-1")

    assert [act for act, _ in acts] == ["update", "answer", "route"]


def test_a_question_that_is_withdrawn_is_closed() -> None:
    before = worked(Written("TD-1", NOW + MINUTE, "Never mind, INV-1234 has turned up.")).acts("TD-1")
    after = worked(Written("TD-1", NOW + HOUR, "We no longer need an answer.")).acts("TD-1")

    assert [act for act, _ in before] == ["close"]
    assert [act for act, _ in after] == ["update", "answer", "route", "close"]


def test_what_anybody_else_writes_changes_nothing() -> None:
    acts = worked(Written("TD-1", NOW + HOUR, SECOND, author="mia.colleague")).acts("TD-1")

    assert [act for act, _ in acts] == ["update", "answer", "route"]


@pytest.mark.parametrize("agent", ["careful", "naive"])
def test_who_looks_at_no_ticket_twice_misses_the_second_question(agent: str) -> None:
    acts = worked(Written("TD-1", NOW + HOUR, SECOND), agent=agent).acts("TD-1")

    assert [how for act, how in acts if act == "answer"] == [["DOC-invoices"]]
