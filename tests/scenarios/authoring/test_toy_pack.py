"""The template's pack, with approval type, ticket kind and record kind of its own: every fault it offers has room."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.evaluation.scaffold.approval import scenario as template
from companyos.evaluation.scaffold.approval.pack import (
    ACCESS,
    ACCESS_APPROVAL,
    PACK,
    WORKSHOP,
    access_approval,
)
from companyos.evaluation.scaffold.approval.scenario import WorkshopAccess
from companyos.sdk.approval_task import TaskBuilder, TaskFacts
from companyos.sdk.approval_task.faults import BUSINESS_FAULTS
from companyos.sdk.chaos import FaultId, Layer, parse_chaos
from companyos.sdk.company import ApprovalType, PacksDoNotFit
from companyos.sdk.scenario import CompanyState, Instance, load_scenarios
from scenarios.packs import finance, office
from tests.sizes import size

SALT = "companyos-public"
LEVELS = range(6)


def unchanging(approval_type: ApprovalType) -> ApprovalType:
    """Return an approval type that offers nothing for changes of forms and policies."""
    fields = tuple(replace(field, synonym=None, other_unit=None) for field in approval_type.fields)
    return replace(approval_type, fields=fields, successions=())


class Frugal(WorkshopAccess):
    """The same task with an approval type that cannot change."""

    name = "frugal_access"
    packs = (office.PACK, replace(PACK, approval_types=tuple(map(unchanging, PACK.approval_types))))

    def facts(self, builder: TaskBuilder) -> TaskFacts:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(template, "access_approval", lambda **given: unchanging(access_approval(**given)))
            return super().facts(builder)


TOYS = (WorkshopAccess(), Frugal())
#: What needs a ledger, side requests or trust is in neither; what needs synonyms or successors in the first alone.
NOWHERE = {FaultId.CONFLICTING_RECORDS, FaultId.MISLEADING_TEXT}


def made(toy: WorkshopAccess, seed: int, level: Any) -> Instance:
    return toy.generate(seed, parse_chaos(level), SALT)


@pytest.mark.proof
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_a_toy_pack_generates_on_many_seeds(toy, level):
    for seed in range(size(12, 200)):
        instance = made(toy, seed, level)
        view = CompanyState(instance.rows).view()

        assert instance.rows["approvalflow"]["approval_types"][0]["id"] == ACCESS_APPROVAL
        assert not all(must.holds(view) for must in instance.musts)


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_each_fault_that_a_scenario_offers_comes_up_and_the_others_are_listed(toy):
    planned = {str(fault) for fault in parse_chaos(5).of(Layer.BUSINESS)}
    drawn = [made(toy, seed, 5) for seed in range(2, 160, 2)]

    found = {str(fault.fault) for instance in drawn for fault in instance.faults}
    [missing] = {instance.not_offered for instance in drawn}
    assert found == planned - set(missing)
    assert set(missing) >= {str(fault) for fault in NOWHERE}


def test_the_persona_may_verify_the_groundwork_that_blocks_its_ticket_whatever_its_role():
    chaos = {"faults": {"biz.blocked_ticket": {"p": 1.0, "params": {"kind": ["ticket"]}}}}
    instance = made(TOYS[0], 6, chaos)

    blocker = row_of(instance, "tickets", instance.faults[0].shown_by[0])
    kind = row_of(instance, "ticket_kinds", blocker["kind"])
    assert kind["verifier_roles"].count(instance.persona.role) == 1
    assert instance.persona.role not in office.PACK.ticket_kinds[0].verifier_roles


def test_a_task_whose_ticket_its_persona_may_not_verify_is_refused_with_the_reason():
    class Visitor(WorkshopAccess):
        """Somebody of another role."""

        persona_role = "visitor"

    with pytest.raises(
        PacksDoNotFit, match="The role visitor has to be one of verifier_roles of the ticket kind"
    ):
        made(Visitor(), 6, 0)


def row_of(instance: Instance, table: str, row_id: str) -> dict[str, Any]:
    return next(row for row in instance.rows["ticketdesk"][table] if row["id"] == row_id)


def test_a_pack_that_says_nothing_of_changes_has_none():
    [missing] = {made(TOYS[1], seed, 4).not_offered for seed in range(2, 20)}

    assert FaultId.SCHEMA_DRIFT in missing
    assert FaultId.POLICY_DRIFT not in missing, "a request can still have to state the cost centre"


def test_faults_without_content_in_the_pack_are_not_drawn():
    chaos = {"faults": {"biz.policy_drift": {"p": 1.0, "params": {"rule": ["threshold"]}}}}

    assert made(TOYS[0], 6, chaos).not_offered == ()
    assert made(TOYS[1], 6, chaos).not_offered == ("biz.policy_drift",)
    assert made(TOYS[1], 6, chaos).faults == ()


@pytest.mark.proof
@pytest.mark.parametrize("fault", BUSINESS_FAULTS)
@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_both_tasks_of_a_pair_look_alike_whatever_fault_they_have(toy, fault):
    chaos = {"faults": {str(fault): {"p": 1.0}}}
    for pair in range(3, size(5, 9)):
        first, second = (made(toy, 2 * pair + one, chaos) for one in (0, 1))

        assert (first.brief, first.max_steps) == (second.brief, second.max_steps)
        assert first.rows["approvalflow"]["approval_types"] == second.rows["approvalflow"]["approval_types"]
        assert first.cause != second.cause


def test_a_company_has_what_its_packs_bring_and_nothing_else():
    rows = made(TOYS[0], 8, 0).rows
    kinds = {row["id"] for row in rows["ticketdesk"]["ticket_kinds"]}
    records = {row["kind"] for row in rows["datahub"]["records"]}

    assert kinds == {ACCESS, "task"}
    assert records == {WORKSHOP}
    assert [row["id"] for row in rows["approvalflow"]["approval_types"]] == [ACCESS_APPROVAL]


def test_a_scenario_of_this_repository_knows_nothing_of_the_toy():
    for scenario in load_scenarios().values():
        rows = scenario.generate(8, parse_chaos(0), SALT).rows

        assert ACCESS not in {row["id"] for row in rows["ticketdesk"]["ticket_kinds"]}


@pytest.mark.parametrize(
    ("packs", "complaint"),
    [
        ((PACK,), "No pack has a workplace"),
        ((office.PACK, PACK, PACK), "two of pack workshops"),
        ((office.PACK, office.PACK), "two of pack office"),
        ((finance.PACK, PACK), "No pack has a workplace"),
    ],
)
def test_packs_that_make_no_company_are_refused_in_words(packs, complaint):
    class Broken(WorkshopAccess):
        name = "broken"

    Broken.packs = packs

    with pytest.raises(PacksDoNotFit, match=complaint):
        made(Broken(), 0, 0)
