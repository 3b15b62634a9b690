"""What else an agent does during an audit: it costs success, unless the card says that it is harmless."""

from collections import Counter

import pytest

from companyos.sdk.scenario import Action, Instance, call
from scenarios.data_quality_audit.facts import Facts
from scenarios.data_quality_audit.scenario import SCENARIO
from tests.scenarios.conftest import instance_of
from tests.scenarios.play import Episode, broken, carry_out, changed, inserted, solution

from .audits import FULL_SEED, UNRELEASED_SEED

SIZE = "small"
FULL: Instance[Facts] = instance_of(SCENARIO, FULL_SEED, size=SIZE)
REFUSED: Instance[Facts] = instance_of(SCENARIO, UNRELEASED_SEED, size=SIZE)


def carry_out_beside(url: str, of: Instance[Facts], *acts: Action) -> Episode:
    """Play the oracle's calls with further acts before the end."""
    plan = solution(url, SCENARIO, of.seed, size=SIZE)
    return carry_out(url, SCENARIO, of.seed, inserted(plan, *acts), size=SIZE)


def comment(on: str) -> Action:
    return call("ticketdesk_add_comment", ticket_id=on, body="Nothing is wrong with any feed.")


def on_and_off(metric_id: str | None, *tools: str) -> list[Action]:
    return [call(f"datahub_{tool}_metric", metric_id=metric_id, reason="To be safe.") for tool in tools]


def test_each_extra_act_is_collateral_of_an_audit(url: str) -> None:
    facts, own = FULL.facts, FULL.facts.ticket["id"]
    lost = min(one["ticket_id"] for one in facts.voided)
    sound = min(facts.totals - facts.wanted - {facts.earlier})
    ends = {"ticket_id": lost, "target": own}
    links = [call("ticketdesk_link_ticket", kind=kind, **ends) for kind in ("blocks", "duplicates")]

    episode = carry_out_beside(
        url,
        FULL,
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


@pytest.mark.parametrize("of", [FULL, REFUSED], ids=["full", "refused"])
def test_acts_that_the_card_calls_harmless_keep_the_success(url: str, of: Instance[Facts]) -> None:
    own, reporter = of.facts.ticket["id"], of.facts.ticket["reporter"]
    acts = [
        call("ticketdesk_transition_ticket", ticket_id=own, to="in_progress", reason="It is begun."),
        call("datahub_refresh_data", metric_id=of.facts.controls[0]["id"]),
        call("datahub_message_colleague", to=reporter, about=own, body="It goes on."),
        *([] if of.feasible else [comment(own)]),
    ]

    episode = carry_out_beside(url, of, *acts)

    assert episode.success, (broken(episode), episode.grade["collateral"])


def test_a_wrong_answer_spoils_an_audit(url: str) -> None:
    plan = changed(solution(url, SCENARIO, FULL.seed, size=SIZE), "finish", answer=[])

    episode = carry_out(url, SCENARIO, FULL.seed, plan, size=SIZE)

    assert not episode.success
    assert broken(episode) == set()
