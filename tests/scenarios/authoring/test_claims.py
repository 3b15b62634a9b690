"""The conformance suite knows the tools and kinds of a scenario, and does not tick what it could not check."""

from dataclasses import replace

from companyos.evaluation.conformance import check_instances
from companyos.sdk.company import Company, Pack
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Instance
from scenarios.packs import office

from .test_complaints import SMALL, Spoilt, complaints


def test_a_tool_that_no_service_has_is_told_with_the_nearest_one():
    mistyped = Spoilt(lambda it: it)
    mistyped.tools = ("datahub_get_jobs", "wait", "finish", "make_coffee")

    told = complaints(mistyped)["Every name in `tools` is that of a tool"]

    assert told.splitlines() == [
        "there is no tool 'datahub_get_jobs'; did you mean datahub_get_job?",
        "there is no tool 'make_coffee'",
    ]


def test_a_record_of_a_kind_that_no_pack_has_is_told():
    def change(instance: Instance) -> Instance:
        Company(Draws("t"), 0, (office.PACK, Pack("yard", record_kinds=("plant",)))).add_record(
            "LOT-1", "lot", "Lot", {}, "active"
        )
        return instance

    told = complaints(Spoilt(change))["Seeds 0 to 3 generate at level 0, reproducibly"]

    assert "PacksDoNotFit: No pack has the record kind lot; its packs have: plant." in told


def test_a_cause_that_prevents_every_instance_is_told_once_and_the_rest_is_not_checked():
    def change(instance: Instance) -> Instance:
        raise ValueError("no route")

    results = list(check_instances(Spoilt(change), replace(SMALL, elsewhere=True)))

    [failed] = [one for one in results if not one.passed and "README.md" not in one.claim]
    assert len(failed.complaints) == 2
    assert "seed 0, level 0: ValueError: no route" in failed.complaints[0]
    assert failed.complaints[1] == "… and 3 more like these"
    checked = {one.claim for one in results if one.checked}
    assert checked == {
        failed.claim,
        "It has a name, a version, a title and a summary",
        "Its environment card (README.md) has every section",
        "Every name in `tools` is that of a tool",
        "Every readable clue is a column that tools show",
    }


def test_every_claim_about_a_sound_scenario_is_checked():
    results = list(check_instances(Spoilt(lambda it: it), SMALL))

    assert [one.claim for one in results if not one.checked] == []
