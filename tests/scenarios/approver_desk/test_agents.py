"""How the agents of the desk differ: what each reads before it decides, and when the task is handed back."""

from collections.abc import Callable

import pytest

from companyos.scenario import Observation, Script
from companyos.sdk.simtime import DAY, HOUR
from scenarios.approver_desk import agents

from ..paper import Shown
from .waiting import (
    BEFORE_FROM,
    IN_FORCE_S,
    INVOICE,
    KEEPER,
    NOW,
    QUOTES_FROM,
    Inbox,
    Ledger,
    Reply,
    dossier,
    library,
    minutes,
    rules,
)

ENDED = "the cover for Hanna Head has ended."
STAYS = "the cover for Hanna Head stays."
OTHERS = "the cover for Sue Second has ended."

Agent = Callable[[Observation], Script]


def with_minutes(*found: Shown) -> Inbox:
    """Return an inbox with one small request, and these minutes instead of those that say that the cover holds."""
    kept = [one for one in library() if one["kind"] != "minutes"]
    return Inbox(dossier("APR-1"), documents=[*kept, *found])


def test_a_cover_that_has_ended_is_handed_back_with_the_minutes_that_end_it() -> None:
    inbox = with_minutes(minutes("DOC-9", HOUR, ENDED))

    inbox.worked_by(agents.oracle)

    assert inbox.calls[-1] == ("refuse", {"reason_code": "cover_ended", "evidence": ["DOC-9"]})
    assert inbox.settled == {}


def test_the_code_of_a_refusal_is_the_one_that_the_newest_rules_name() -> None:
    inbox = with_minutes(minutes("DOC-9", HOUR, ENDED))
    inbox.documents += [
        rules("DOC-8", 3 * DAY, QUOTES_FROM, "gift cards", code="cover_lapsed"),
    ]

    inbox.worked_by(agents.oracle)

    assert inbox.called("refuse")[0]["reason_code"] == "cover_lapsed"


@pytest.mark.parametrize(
    "found",
    [
        [minutes("DOC-9", HOUR, STAYS), minutes("DOC-8", 7 * DAY, ENDED)],
        [minutes("DOC-8", 7 * DAY, ENDED), minutes("DOC-9", HOUR, STAYS)],
        [minutes("DOC-9", HOUR, OTHERS)],
        [minutes("DOC-9", HOUR, OTHERS), minutes("DOC-8", 7 * DAY, STAYS)],
        [],
    ],
    ids=["ended-before-it-stayed", "found-in-another-order", "another-cover", "another-cover-since", "none"],
)
def test_a_cover_holds_unless_the_newest_minutes_about_it_end_it(found: list[Shown]) -> None:
    inbox = with_minutes(*found)

    inbox.worked_by(agents.oracle)

    assert inbox.settled == {"APR-1": "approved"}


def test_newer_minutes_about_something_else_do_not_keep_a_cover_up() -> None:
    inbox = with_minutes(minutes("DOC-9", HOUR, OTHERS), minutes("DOC-8", 7 * DAY, ENDED))

    inbox.worked_by(agents.oracle)

    assert inbox.called("refuse")[0]["evidence"] == ["DOC-8"]


def test_the_minutes_are_read_before_any_request() -> None:
    inbox = Inbox(dossier("APR-1"))

    inbox.worked_by(agents.oracle)

    names = [name for name, _ in inbox.calls]
    read = inbox.calls.index(("datahub_get_document", {"document_id": "DOC-4"}))
    assert read < names.index("approvalflow_get_dossier")


def test_the_careful_agent_settles_under_a_cover_that_has_ended() -> None:
    inbox = with_minutes(minutes("DOC-9", HOUR, ENDED))

    inbox.worked_by(agents.careful)

    assert inbox.settled == {"APR-1": "approved"}
    assert inbox.called("refuse") == []


@pytest.mark.parametrize(
    ("agent", "end"),
    [(agents.oracle, "approved"), (agents.careful, "rejected:not_eligible")],
    ids=["oracle", "careful"],
)
def test_the_careful_agent_judges_older_requests_by_the_version_in_force(agent: Agent, end: str) -> None:
    inbox = Inbox(dossier("APR-1", age_s=IN_FORCE_S + HOUR, things={"Gift card": 400.0}))

    inbox.worked_by(agent)

    assert inbox.settled == {"APR-1": end}


def test_the_careful_agent_takes_the_most_points_first_where_the_oracle_weighs_whole_sets() -> None:
    settled = []
    for agent in (agents.oracle, agents.careful):
        inbox = Inbox(
            dossier("APR-1", 500.0, benefit_points=30),
            dossier("APR-2", 400.0, benefit_points=20),
            dossier("APR-3", 400.0, benefit_points=19),
        )
        inbox.ledgers["CC-310"] = Ledger(800.0)
        inbox.worked_by(agent)
        settled.append({key for key, end in inbox.settled.items() if end == "approved"})

    assert settled == [{"APR-2", "APR-3"}, {"APR-1"}]


def test_the_careful_agent_asks_for_quotes_that_an_older_purchase_does_not_need() -> None:
    inbox = Inbox(dossier("APR-1", BEFORE_FROM - 10.0, age_s=IN_FORCE_S + HOUR))
    inbox.replies["APR-1"] = Reply()

    inbox.worked_by(agents.careful)

    assert inbox.settled == {"APR-1": "rejected:evidence_missing"}


def test_the_careful_agent_refreshes_a_stale_ledger_like_the_oracle() -> None:
    inbox = Inbox(dossier("APR-1"))
    inbox.ledgers["CC-310"] = Ledger(5000.0, [100.0])

    inbox.worked_by(agents.careful)

    assert inbox.settled == {"APR-1": "rejected:over_budget"}


def test_the_naive_agent_approves_what_is_wrong_in_every_way() -> None:
    paid = dossier("APR-3", type=INVOICE, invoice_number="RE-30001")
    inbox = Inbox(dossier("APR-1", things={"Gift card": 1.0}), dossier("APR-2", 7000.0), paid)
    inbox.records = {"Invoice RE-30001, Linden Works": "Linden Works"}
    inbox.ledgers["CC-310"] = Ledger(0.0)

    inbox.worked_by(agents.naive)

    assert set(inbox.settled.values()) == {"approved"}
    assert len(inbox.settled) == 3


def test_the_naive_agent_passes_what_it_may_not_decide_to_the_first_other_holder_of_the_role() -> None:
    inbox = Inbox(dossier("APR-1"), dossier("APR-2"), dossier("APR-3"))
    inbox.not_mine = {"APR-1", "APR-3"}

    inbox.worked_by(agents.naive)

    to = f"passed_on:{KEEPER}"
    assert inbox.settled == {"APR-1": to, "APR-2": "approved", "APR-3": to}


def test_the_naive_agent_looks_up_the_other_holder_once_and_only_if_it_has_to() -> None:
    refused, accepted = Inbox(dossier("APR-1"), dossier("APR-2")), Inbox(dossier("APR-1"))
    refused.not_mine = {"APR-1", "APR-2"}

    refused.worked_by(agents.naive)
    accepted.worked_by(agents.naive)

    assert refused.called("datahub_get_approver") == [{"role": "unit_head"}]
    assert accepted.called("datahub_get_approver") == []


def test_the_naive_agent_reads_no_document() -> None:
    inbox = Inbox(dossier("APR-1"))

    inbox.worked_by(agents.naive)

    assert {name for name, _ in inbox.calls} == {
        "approvalflow_list_inbox",
        "approvalflow_decide_request",
        "finish",
    }


@pytest.mark.parametrize("agent", [agents.oracle, agents.careful, agents.naive])
def test_every_agent_finishes(agent: Agent) -> None:
    inbox = Inbox(dossier("APR-1"))

    inbox.worked_by(agent)

    assert inbox.calls[-1][0] == "finish"


def test_time_passes_only_while_something_is_awaited() -> None:
    inbox = Inbox(dossier("APR-1"), dossier("APR-2", 9000.0))

    inbox.worked_by(agents.oracle)

    assert inbox.now == NOW
