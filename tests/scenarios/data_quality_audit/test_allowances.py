"""What else an agent does during an audit: it costs success, unless the card says that it is harmless."""

from collections import Counter
from functools import cache

import pytest

from companyos.company.allowances import COMMENTS, JOBS, LINKS
from companyos.scenario import Action, Instance, Row, Table, call
from scenarios.data_quality_audit.allowances import allowed
from scenarios.data_quality_audit.facts import Facts
from scenarios.data_quality_audit.scenario import SCENARIO
from tests.allowances import unexplained
from tests.scenarios.conftest import instance_of
from tests.scenarios.play import Episode, broken, carry_out, changed, inserted, solution

from .audits import drawn_for

FACTS = drawn_for().facts
BACK = drawn_for(lacks_release=True).facts
AUDIT, LOST = FACTS.ticket["id"], FACTS.voided[0]["ticket_id"]
METRICS, QUARANTINES = ("datahub", "metrics"), ("datahub", "quarantines")
NEW, EARLIER = min(FACTS.new), FACTS.earlier
SOUND = min(FACTS.totals - FACTS.wanted - {EARLIER})


@pytest.mark.parametrize(
    ("table", "row", "outside"),
    [
        (QUARANTINES, {"metric_id": NEW, "reason": "Rests on a failed feed."}, set()),
        (QUARANTINES, {"metric_id": NEW, "release_reason": "Sound."}, {"release_reason"}),
        (LINKS, {"ticket_id": AUDIT, "target": LOST, "kind": "relates"}, set()),
        (LINKS, {"ticket_id": LOST, "target": AUDIT, "kind": "blocks"}, {"kind"}),
        (LINKS, {"ticket_id": LOST, "target": "TD-9999", "kind": "relates"}, {"target"}),
        (COMMENTS, {"ticket_id": AUDIT, "body": "All are sound."}, {"*"}),
        (JOBS, {"metric_id": FACTS.feeds[-1].metric["id"]}, set()),
        (JOBS, {"metric_id": "MET-9999"}, {"metric_id"}),
    ],
)
def test_an_audit_adds_what_it_needs(table: Table, row: Row, outside: set[str]) -> None:
    assert set(unexplained(allowed(FACTS), table, {"id": "NEW-1", **row})) == outside


@pytest.mark.parametrize(
    ("metric_id", "before", "after", "is_allowed"),
    [
        (NEW, "ok", "quarantined", True),
        (NEW, "quarantined", "ok", False),
        (EARLIER, "quarantined", "ok", True),
        (EARLIER, "ok", "quarantined", False),
        (SOUND, "ok", "quarantined", False),
    ],
)
def test_a_status_changes_in_the_right_direction(
    metric_id: str, before: str, after: str, *, is_allowed: bool
) -> None:
    row = {"id": metric_id, "status": before, "version": 3}
    found, handed_back = (
        unexplained(allowed(facts), METRICS, {**row, "status": after}, before=row) for facts in (FACTS, BACK)
    )

    assert (not found) is is_allowed
    assert set(handed_back) == {"status"}


SIZE = "small"


@cache
def first_instance(*, feasible: bool) -> Instance[Facts]:
    """Return the first audit that cannot be done, or one with several lost requests and a quarantine to lift."""

    def fits(facts: Facts) -> bool:
        return len(facts.voided) > 1 and facts.earlier is not None and facts.earlier not in facts.wanted

    instances = (instance_of(SCENARIO, seed, size=SIZE) for seed in range(200))
    return next(one for one in instances if one.feasible is feasible and (one.refusal or fits(one.facts)))


def carry_out_beside(url: str, of: Instance[Facts], *acts: Action) -> Episode:
    """Play the oracle's calls with further acts before the end."""
    plan = solution(url, SCENARIO, of.seed, size=SIZE)
    return carry_out(url, SCENARIO, of.seed, inserted(plan, *acts), size=SIZE)


def comment(on: str) -> Action:
    return call("ticketdesk_add_comment", ticket_id=on, body="Nothing is wrong with any feed.")


def on_and_off(metric_id: str | None, *tools: str) -> list[Action]:
    return [call(f"datahub_{tool}_metric", metric_id=metric_id, reason="To be safe.") for tool in tools]


def test_each_extra_act_is_collateral_of_an_audit(url: str) -> None:
    full = first_instance(feasible=True)
    facts, own = full.facts, full.facts.ticket["id"]
    lost = min(one["ticket_id"] for one in facts.voided)
    sound = min(facts.totals - facts.wanted - {facts.earlier})
    ends = {"ticket_id": lost, "target": own}
    links = [call("ticketdesk_link_ticket", kind=kind, **ends) for kind in ("blocks", "duplicates")]

    episode = carry_out_beside(
        url,
        full,
        *(comment(own), comment(lost), *links),
        *on_and_off(min(facts.new), "release", "quarantine"),
        *on_and_off(facts.earlier, "quarantine", "release"),
        *on_and_off(sound, "quarantine", "release"),
    )

    outside = {*episode.grade["collateral"]}
    tables = Counter(row.rpartition("/")[0] for row in outside)
    assert not episode.success
    assert {f"datahub/metrics/{one} (status)" for one in (min(facts.new), facts.earlier, sound)} <= outside
    assert (tables["ticketdesk/comments"], tables["ticketdesk/links"]) == (2, 2)


@pytest.mark.parametrize("feasible", [True, False], ids=["full", "refused"])
def test_acts_that_the_card_calls_harmless_keep_the_success(url: str, *, feasible: bool) -> None:
    of = first_instance(feasible=feasible)
    own, reporter = of.facts.ticket["id"], of.facts.ticket["reporter"]
    acts = [
        call("ticketdesk_transition_ticket", ticket_id=own, to="in_progress", reason="It is begun."),
        call("datahub_refresh_data", metric_id=of.facts.controls[0]["id"]),
        call("datahub_message_colleague", to=reporter, about=own, body="It goes on."),
        *([] if feasible else [comment(own)]),
    ]

    episode = carry_out_beside(url, of, *acts)

    assert episode.success, (broken(episode), episode.grade["collateral"])


def test_a_wrong_answer_spoils_an_audit(url: str) -> None:
    seed = first_instance(feasible=True).seed
    plan = changed(solution(url, SCENARIO, seed, size=SIZE), "finish", answer=[])

    episode = carry_out(url, SCENARIO, seed, plan, size=SIZE)

    assert not episode.success
    assert broken(episode) == set()
