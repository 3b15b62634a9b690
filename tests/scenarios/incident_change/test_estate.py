"""The systems of an incident, in every plan and with either cause: who fails, why, and what is on record."""

from collections.abc import Iterator
from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR
from scenarios.incident_change import names
from scenarios.incident_change.estate import Estate, Member
from scenarios.incident_change.pack import INCIDENT, TTL_S
from scenarios.incident_change.plans import FIRST, PLANS, SECOND, Plan

from .incidents import MINOR, ONCE, PROVIDER, Drawn, drawn, each_plan

SEEDS = range(6)
CAUSES = (FIRST, SECOND)
BOTH = pytest.mark.parametrize("cause", CAUSES)


def incidents(*plans: Plan) -> Iterator[Drawn]:
    """Yield incidents of these plans, or of every plan."""
    for seed in SEEDS:
        for plan in plans or PLANS:
            yield from (drawn(plan, cause, seed) for cause in CAUSES)


def fresh(one: Drawn, member: Member) -> float:
    """Return what a refresh of a system's error rate brings."""
    return float(one.company.source(member.metric["id"])["values"][0])


def fails(one: Drawn, member: Member) -> bool:
    return fresh(one, member) > member.limit


def past(one: Drawn, member: Member) -> list[dict[str, Any]]:
    """Return the changes of a system on record, oldest first."""
    rows = one.company.rows["ticketdesk"]["changes"]
    found = [row for row in rows if row["system"] == member.id]
    return sorted(found, key=lambda row: int(row["rolled_out_at"]))


def chained(estate: Estate) -> list[Member]:
    return [member for chain in estate.chains.values() for member in chain]


def test_exactly_the_chain_of_the_cause_the_victim_and_the_suspect_fail() -> None:
    for one in incidents():
        estate, cause = one.facts.estate, one.facts.cause
        failing = {member.id for member in estate.members if fails(one, member)}

        assert failing - {estate.victim.id} == {estate.suspect.id, *(m.id for m in estate.chains[cause])}


def test_only_the_victim_the_suspect_and_the_decoy_look_bad_before_anything_is_measured() -> None:
    for one in incidents():
        estate = one.facts.estate
        shown = {member.id for member in estate.members if member.metric["value"] > member.limit}

        assert shown - {estate.victim.id} == {estate.suspect.id, estate.decoy.id}


def test_the_decoy_looks_worst_upstream_and_is_well() -> None:
    for one in incidents():
        estate = one.facts.estate
        relative = {member.id: member.metric["value"] / member.limit for member in chained(estate)}

        assert estate.decoy.metric["value"] / estate.decoy.limit > max(relative.values())
        assert not fails(one, estate.decoy)


def test_the_victim_is_computed_from_both_chains_and_the_decoy_and_the_suspect_from_the_victim() -> None:
    for one in incidents(ONCE):
        estate = one.facts.estate
        nearest = {chain[0].metric["id"] for chain in estate.chains.values()}

        assert set(estate.victim.metric["upstream"]) == {*nearest, estate.decoy.metric["id"]}
        assert estate.suspect.metric["upstream"] == [estate.victim.metric["id"]]
        assert not estate.decoy.metric["upstream"]


def test_each_system_of_a_chain_is_computed_from_the_next_and_the_last_from_nothing() -> None:
    lengths = set()
    for one in incidents(ONCE):
        for chain in one.facts.estate.chains.values():
            upstream = [member.metric["upstream"] for member in chain]
            lengths.add(len(chain))

            assert upstream == [*([nearer.metric["id"]] for nearer in chain[1:]), []]
    assert lengths == {1, 2}


def test_the_cause_is_the_last_of_its_chain() -> None:
    for one in incidents(ONCE):
        facts = one.facts

        assert facts.root is facts.estate.chains[facts.cause][-1]


def test_the_candidates_and_what_is_beside_them_lie_in_different_areas() -> None:
    for one in incidents(ONCE, MINOR):
        estate = one.facts.estate
        roots = [estate.root(cause) for cause in CAUSES]
        areas = [member.record["fields"]["area"] for member in (*roots, estate.decoy, estate.suspect)]

        assert len(set(areas)) == 4
        assert set(areas) <= set(names.AREAS)


def test_systems_have_names_and_owners_of_their_own() -> None:
    for one in incidents(ONCE):
        members = one.facts.estate.members

        assert len({member.record["name"] for member in members}) == len(members)
        assert len({member.owner.id for member in members}) == len(members)
        assert all(member.record["fields"]["owner"] == member.owner.id for member in members)


def test_every_reading_at_hand_is_out_of_date() -> None:
    for one in incidents(ONCE):
        ages = [one.facts.start - member.metric["as_of"] for member in one.facts.estate.members]

        assert all(TTL_S < 4 * HOUR <= age <= 9 * HOUR for age in ages)


def test_the_victim_and_the_suspect_rose_together_and_the_others_did_not() -> None:
    for one in incidents(ONCE):
        estate = one.facts.estate
        taken = {
            member.id: [
                float(row["after"]["value"]) / member.limit
                for row in one.company.rows["datahub"]["changes"]
                if row["object_id"] == member.metric["id"]
            ][:-1]
            for member in estate.members
        }

        for member in (estate.victim, estate.suspect):
            assert taken[member.id][-1] > 0.9 > 0.5 > taken[member.id][0]
        for member in (*chained(estate), estate.decoy):
            assert max(taken[member.id]) < 0.5


def test_the_victim_has_the_tier_and_the_rates_that_were_drawn() -> None:
    for one in incidents(ONCE, MINOR):
        victim = one.facts.victim

        assert victim.record["fields"]["tier"] == one.rates.tier
        assert victim.metric["value"] == one.rates.shown
        assert fresh(one, victim) == one.rates.fresh


def test_a_candidate_has_as_many_procedures_left_as_its_fate_needs() -> None:
    for one in incidents():
        for cause, fate in one.facts.plan.fates.items():
            left = one.facts.estate.root(cause).left

            assert len(left) in {None: (1,), 1: (1, 2), 2: (2,)}[fate.mended_by]


def test_procedures_tried_within_a_day_are_not_left_to_try() -> None:
    tried = 0
    for one in incidents(ONCE):
        for cause in CAUSES:
            root = one.facts.estate.root(cause)
            recent = [row for row in past(one, root) if row["rolled_out_at"] > one.facts.start - DAY]
            tried += len(recent)

            assert [row["procedure"] for row in recent] == list(root.tried)
            assert list(root.tried) in ([], [root.procedures[0]])
            assert root.left == [step for step in root.procedures if step not in root.tried]
    assert tried > 0


def test_procedures_tried_days_ago_are_still_left_to_try() -> None:
    old = 0
    for one in incidents(ONCE):
        for cause in CAUSES:
            root = one.facts.estate.root(cause)
            earlier = [row for row in past(one, root) if row["rolled_out_at"] <= one.facts.start - DAY]
            old += len(earlier)

            assert all(row["rolled_out_at"] <= one.facts.start - 2 * DAY for row in earlier)
            assert {row["procedure"] for row in earlier} <= {root.left[-1]}
    assert old > 0


def test_every_past_change_was_rolled_back_and_belongs_to_a_closed_incident_of_its_system() -> None:
    for one in incidents(ONCE):
        tickets = {row["id"]: row for row in one.company.rows["ticketdesk"]["tickets"]}
        for change in one.company.rows["ticketdesk"]["changes"]:
            ticket = tickets[change["ticket_id"]]

            assert change["rolled_back_at"] == change["rolled_out_at"] + HOUR < one.facts.start
            assert (ticket["kind"], ticket["status"]) == (INCIDENT, "closed")
            assert ticket["subject"] == change["system"]
            assert ticket["created_at"] < change["planned_at"]


def test_the_previous_runbook_begins_with_another_procedure() -> None:
    for one in incidents(ONCE):
        for member in one.facts.estate.members:
            bodies = {
                row["status"]: row["body"]
                for row in one.company.rows["datahub"]["documents"]
                if row["title"] == f"Runbook of {member.record['name']}"
            }

            assert set(bodies) == {"superseded", "in_force"}
            assert f"1. `{member.procedures[0]}`" in bodies["in_force"]
            assert f"1. `{member.procedures[0]}`" not in bodies["superseded"]


@BOTH
def test_an_agreement_is_in_force_for_what_a_provider_runs_and_has_ended_for_the_other(cause: str) -> None:
    for seed in SEEDS:
        one = drawn(PROVIDER, cause, seed)
        estate = one.facts.estate
        found = {
            row["status"]: row["links"]
            for row in one.company.rows["datahub"]["documents"]
            if row["kind"] == "agreement"
        }

        assert found == {"in_force": [estate.root(FIRST).id], "withdrawn": [estate.root(SECOND).id]}
        assert set(estate.agreement) == {FIRST}


def test_the_right_procedure_on_the_cause_heals_whatever_fails_with_it() -> None:
    for one in incidents():
        facts = one.facts
        remedies = {row["id"]: row for row in one.company.rows["datahub"]["remedies"]}
        healed = [*facts.estate.chains[facts.cause], facts.victim, facts.estate.suspect]
        if facts.fate.by_provider or facts.fate.mended_by is None:
            assert not remedies
            continue

        assert set(remedies) == {member.metric["id"] for member in healed}
        for member in healed:
            remedy = remedies[member.metric["id"]]
            assert remedy["system"] == facts.root.id
            assert remedy["procedure"] == facts.root.left[facts.fate.mended_by - 1]
            assert remedy["before"] == [fresh(one, member)]
            assert max(remedy["after"]) < member.limit


@each_plan
def test_the_two_causes_of_a_plan_differ_in_nothing_that_can_be_read(plan: Plan) -> None:
    for seed in SEEDS:
        rows, others = (drawn(plan, cause, seed).company.rows for cause in CAUSES)
        hidden = {("datahub", "sources"), ("datahub", "remedies")}

        assert {
            (service, table)
            for service, tables in rows.items()
            for table, listed in tables.items()
            if listed != others[service][table]
        } <= hidden
