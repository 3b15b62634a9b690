"""The systems and documents of an incident, in every plan and with either cause: who fails, why, and what misleads."""

from collections import Counter
from collections.abc import Iterator

import pytest

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, to_date
from scenarios.incident_change import texts
from scenarios.incident_change.calendar import Freeze
from scenarios.incident_change.estate import Member
from scenarios.incident_change.oracle import read_freeze, read_handover, read_roster, read_rules
from scenarios.incident_change.pack import MANAGER, TTL_S
from scenarios.incident_change.plans import FIRST, PLANS, SECOND, Plan, Rates, draw_rates
from tests.scenarios.conftest import SALT

from .incidents import ONCE, PROVIDER, Drawn, Row, documents, drawn, each_plan

SEEDS = range(3)
CAUSES = (FIRST, SECOND)


def incidents(*plans: Plan, seeds: range = SEEDS) -> Iterator[Drawn]:
    """Yield incidents of these plans, or of every plan, with either cause."""
    for seed in seeds:
        for plan in plans or PLANS:
            yield from (drawn(plan, cause, seed) for cause in CAUSES)


def fresh(one: Drawn, member: Member) -> float:
    """Return what a refresh of a system's error rate brings."""
    return float(one.company.source(member.metric["id"])["values"][0])


def chained(one: Drawn) -> list[Member]:
    return [member for chain in one.facts.estate.chains.values() for member in chain]


def past(one: Drawn, member: Member) -> list[Row]:
    """Return the changes of a system on record, oldest first."""
    found = [row for row in one.company.rows["ticketdesk"]["changes"] if row["system"] == member.id]
    return sorted(found, key=lambda row: int(row["rolled_out_at"]))


def test_fresh_rates_show_the_chain_of_the_cause_and_old_ones_do_not() -> None:
    for one in incidents():
        estate, cause = one.facts.estate, one.facts.cause
        failing = {member.id for member in estate.members if fresh(one, member) > member.limit}
        shown = {member.id for member in estate.members if member.metric["value"] > member.limit}
        worst = max(member.metric["value"] / member.limit for member in chained(one))

        assert failing - {estate.victim.id} == {estate.suspect.id, *(m.id for m in estate.chains[cause])}
        assert shown - {estate.victim.id} == {estate.suspect.id, estate.decoy.id}
        assert estate.decoy.metric["value"] / estate.decoy.limit > worst
        assert all(one.facts.start - member.metric["as_of"] > TTL_S for member in estate.members)


def test_procedures_tried_within_a_day_are_not_left_and_those_tried_before_are() -> None:
    recent, old = 0, 0
    for one in incidents(ONCE, seeds=range(8)):
        for root in map(one.facts.estate.root, CAUSES):
            tried = [row for row in past(one, root) if row["rolled_out_at"] > one.facts.start - DAY]
            earlier = [row for row in past(one, root) if row not in tried]
            recent, old = recent + len(tried), old + len(earlier)
            assert [row["procedure"] for row in tried] == list(root.tried)
            assert root.left == [step for step in root.procedures if step not in root.tried]
            assert {row["procedure"] for row in earlier} <= {root.left[-1]}
            assert all(row["rolled_out_at"] <= one.facts.start - 2 * DAY for row in earlier)
    assert recent
    assert old


def test_the_right_procedure_on_the_cause_heals_whatever_fails_with_it() -> None:
    for one in incidents():
        facts = one.facts
        remedies = {row["id"]: row for row in one.company.rows["datahub"]["remedies"]}
        healed = [*facts.estate.chains[facts.cause], facts.victim, facts.estate.suspect]
        if facts.fate.by_provider or facts.fate.mended_by is None:
            assert not remedies
            continue
        assert {*remedies} == {member.metric["id"] for member in healed}
        for member in healed:
            remedy = remedies[member.metric["id"]]
            step = (facts.root.id, facts.root.left[facts.fate.mended_by - 1])
            assert (remedy["system"], remedy["procedure"]) == step
            assert remedy["before"] == [fresh(one, member)]
            assert max(remedy["after"]) < member.limit


def test_the_previous_runbook_begins_with_another_procedure() -> None:
    for one in incidents(ONCE):
        for member in one.facts.estate.members:
            found = documents(one, f"Runbook of {member.record['name']}")
            is_first = {row["status"]: f"1. `{member.procedures[0]}`" in row["body"] for row in found}
            assert is_first == {"superseded": False, "in_force": True}


def test_an_agreement_is_in_force_for_what_a_provider_runs_and_has_ended_for_the_other() -> None:
    for one in incidents(PROVIDER):
        rows = [row for row in one.company.rows["datahub"]["documents"] if row["kind"] == "agreement"]
        first, second = (one.facts.estate.root(cause).id for cause in CAUSES)
        assert {row["status"]: row["links"] for row in rows} == {"in_force": [first], "withdrawn": [second]}


@pytest.mark.parametrize("severity", [1, 2])
def test_only_the_fresh_rate_and_the_edition_in_force_give_the_severity(severity: int) -> None:
    for seed in range(40):
        rates = draw_rates(Draws(SALT, "rates", seed), severity)
        assert _severity(rates, rates.high, rates.fresh) == severity
        assert _severity(rates, rates.high, rates.shown) != severity
        assert _severity(rates, rates.before, rates.fresh) != severity
        assert rates.low < min(rates.high, rates.before, rates.draft)
        assert len({rates.high, rates.before, rates.draft}) == 3


def _severity(rates: Rates, high: float, rate: float) -> int:
    rules = read_rules(texts.write_handling(high, rates.low, ("Monday", "Friday"), 20))
    return rules.severity(rates.tier, rate)


def test_endings_of_a_pair_depend_on_the_cause_and_all_of_them_occur() -> None:
    endings = [[drawn(plan, cause).facts.ending for cause in CAUSES] for plan in PLANS]
    fates = [tuple(plan.fates.values()) for plan in PLANS]

    assert {each for pair in endings for each in pair} == {
        "recovered",
        "handed_over",
        "scheduled",
        "run_by_provider",
    }
    assert all(
        one != other or first != second for (one, other), (first, second) in zip(endings, fates, strict=True)
    )
    assert sum(each == "run_by_provider" for pair in endings for each in pair) == len(PLANS) * 2 // 10


def notices(one: Drawn, status: str) -> Freeze:
    """Return the current freeze as its notice of this status announces it."""
    [row] = [row for row in documents(one, "Change freeze", status) if "first part" not in row["title"]]
    return read_freeze(row["body"])


@each_plan
def test_the_notice_in_force_freezes_and_exempts_what_the_plan_says_and_its_rivals_others(plan: Plan) -> None:
    for seed in SEEDS:
        one = drawn(plan, FIRST, seed)
        now, before, draft = (notices(one, status) for status in ("in_force", "superseded", "draft"))
        areas = {cause: one.facts.estate.root(cause).record["fields"]["area"] for cause in CAUSES}
        exempt = [areas[cause] for cause, fate in plan.fates.items() if fate.freeze == "exempt"]
        for cause, area in areas.items():
            assert now.covers(area, one.facts.start) is (plan.fates[cause].freeze != "open")
            assert (area in now.areas) is not (area in before.areas)
        assert now.exempt == (exempt[0] if exempt else None)
        assert (draft.ends_at, draft.areas) == (now.ends_at + 7 * DAY, now.areas | {*areas.values()})
        assert now in one.facts.papers.freezes


def test_editions_of_the_rules_differ_in_their_upper_band_alone() -> None:
    for one in incidents(ONCE):
        own = [row for row in documents(one, texts.HANDLING_TITLE) if row["department"] == "Platform"]
        highs = {row["status"]: read_rules(row["body"]).bands[0][0] for row in own}
        assert {*highs} == {"superseded", "in_force", "draft"}
        assert len({*highs.values()}) == 3
        assert len({row["body"].replace(f"| {highs[row['status']]:g} %", "| …") for row in own}) == 1


def test_the_person_on_call_is_the_one_of_the_newest_mail_about_today_or_of_the_roster() -> None:
    news = Counter[int]()
    for one in incidents(ONCE, seeds=range(16)):
        today = to_date(one.facts.start)
        sent = [
            row for row in one.company.rows["datahub"]["messages"] if row["subject"].startswith("On call")
        ]
        sent = sorted(sent, key=lambda row: int(row["sent_at"]), reverse=True)
        told = [person for row in sent if (person := read_handover(row["body"], today))]
        rosters = {
            row["status"]: read_roster(row["body"], today) for row in documents(one, texts.ROSTER_TITLE)
        }
        news[len(told)] += 1

        assert sent
        assert one.facts.papers.on_call.id == [*told, rosters["in_force"]][0]
        assert (rosters["in_force"] != one.facts.papers.on_call.id) is (len(told) == 1)
        assert rosters["superseded"] != rosters["in_force"]
        assert len(told) < 2 or told[1] != told[0]
        assert {one.company.row("datahub", "people", row["sender"])["role"] for row in sent} == {MANAGER}
    assert {*news} == {0, 1, 2}
