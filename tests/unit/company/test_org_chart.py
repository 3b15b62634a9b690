"""Everybody in a company reports to somebody, except its head; access and ownership are rows like the others."""

import pytest

from companyos.company import Company, Person, add_entitlement, complete_org_chart, fill, hire_cast, own
from companyos.company.areas.org_chart import manager_of, report_to
from companyos.conformance.rows import fits, tables_of
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY
from scenarios.packs import finance, office, people

PACKS = (office.PACK, finance.PACK, people.PACK)


def company(seed: int = 0) -> Company:
    return Company(Draws("salt", "org", 1, seed), 100 * DAY, PACKS)


def filled(seed: int) -> Company:
    built = company(seed)
    fill(built, hire_cast(built, persona_role="people_partner", team="People", original=False))
    return built


@pytest.mark.parametrize("seed", range(8))
def test_every_chain_of_managers_ends_at_the_head_of_the_company(seed: int) -> None:
    managers = {row["id"]: row["manager"] for row in filled(seed).rows["datahub"]["people"]}

    assert [one for one, manager in managers.items() if manager is None] == [next(iter(managers))]
    for one in managers:
        chain = [one]
        while (above := managers[chain[-1]]) is not None:
            assert above not in chain
            chain.append(above)


@pytest.mark.parametrize("seed", range(4))
def test_a_team_reports_to_the_holder_of_its_office(seed: int) -> None:
    rows = filled(seed).rows["datahub"]["people"]
    lead = next(row["id"] for row in rows if row["role"] == "hr_lead")

    team = [row for row in rows if row["team"] == "People" and row["id"] != lead]

    assert team
    assert {row["manager"] for row in team} == {lead}


def test_a_manager_that_is_given_stays() -> None:
    built = company()
    ada, ben, cleo = (built.hire(name, "analyst", "Data") for name in ("Ada Moss", "Ben Reed", "Cleo Ash"))
    report_to(built, cleo, ben)

    complete_org_chart(built)

    assert [manager_of(built, one) for one in (ada, ben, cleo)] == [None, ada.id, ben.id]


def test_access_and_ownership_fit_their_tables() -> None:
    built = company()
    ada, ben = built.hire("Ada Moss", "analyst", "Data"), Person("ben.reed", "Ben Reed", "lead", "Data")
    record = built.add_record("V-1", "handbook_section", "Sick leave", {}, "active")

    access = add_entitlement(built, ada, "ledger", ben, basis="exception", shared_with=[ben])
    answers = own(built, ada, record)

    tables = tables_of("datahub")
    assert set(access) == set(tables["entitlements"].columns)
    assert set(answers) == set(tables["ownerships"].columns)
    assert (access["person_id"], access["shared_with"]) == ("ada.moss", ["ben.reed"])
    assert (answers["id"], answers["owner"]) == ("V-1", "ada.moss")
    assert fits(access["expires_at"], int | None)
