"""What the command line tells of chaos, without a stack."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from companyos.cli.app import app
from companyos.sdk.chaos import CATALOG, parse_chaos
from companyos.sdk.scenario import find

SALT = "companyos-public"


def said(*arguments: str, code: int = 0) -> str:
    """Return what the command line says, which ends with this exit code."""
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return str(result.output)


def told_of(*arguments: str) -> Any:
    """Return what the command line prints for programs."""
    return json.loads(said("chaos", *arguments, "--json"))


def test_the_list_has_every_fault_with_its_parameters_and_every_preset() -> None:
    shown, told = said("chaos", "list"), told_of("list")

    assert [fault["id"] for fault in told["faults"]] == [fault.value for fault in CATALOG]
    assert {preset["name"]: preset["digest"] for preset in told["presets"]}["storm"] == parse_chaos(5).digest
    for spec in CATALOG.values():
        assert f"\n{spec.id.value}: {spec.does}\n" in f"\n{shown}"
        assert all(f"    {name} (" in shown for name in spec.parameters)


def test_an_episode_is_explained_as_it_would_be_played() -> None:
    told = told_of("explain", "bad-day", "--scenario", "bug_escalation", "--seed", "6")

    instance = find("bug_escalation").generate(6, parse_chaos(3), SALT)
    assert [one["fault"] for one in told["business"]] == [one.fault for one in instance.faults]
    assert (told["oracle_steps"], told["max_steps"]) == (instance.oracle_steps, instance.max_steps)
    assert told["chaos"]["digest"] == parse_chaos(3).digest
    assert told["calm_steps"] < told["oracle_steps"]


def test_calls_of_all_tools_that_agents_are_offered_under_this_chaos_are_explained_and_no_others() -> None:
    failing = {"svc.http_5xx": {"p": 1}}
    calls, more = (
        {
            one["tool"]
            for one in told_of("explain", json.dumps({"faults": faults}), "--scenario", "invoice_match")[
                "service"
            ]
        }
        for faults in (failing, {**failing, "evt.poison": {"p": 1}})
    )

    assert "datahub_settle_invoice" in calls
    assert calls <= set(find("invoice_match").tools)
    assert "ticketdesk_redrive_dead_letter" in more


def test_an_episode_without_faults_of_its_own_never_costs_more_than_it_has_steps() -> None:
    told = told_of("explain", "storm", "--scenario", "invoice_match")
    shown = said("chaos", "explain", "storm", "--scenario", "invoice_match")

    assert told["calm_steps"] < told["oracle_steps"] < told["max_steps"]
    assert f"at most {told['oracle_steps']} steps, {told['calm_steps']} where nothing goes wrong" in shown


def test_a_profile_says_which_calls_about_the_goal_would_fail() -> None:
    profile = {"faults": {"svc.lost_ack": {"p": 1, "F": 2, "match": {"operation": "verify_ticket"}}}}
    ticket_id = find("vendor_onboarding").generate(0, parse_chaos(profile), SALT).facts.ticket["id"]

    told = told_of("explain", json.dumps(profile))

    assert (told["business"], told["event"]) == ([], [])
    assert [(one["tool"], one["object"], one["fault"]) for one in told["service"]] == [
        ("ticketdesk_verify_ticket", ticket_id, "svc.lost_ack")
    ]


def test_a_fault_for_which_a_scenario_offers_nothing_is_named() -> None:
    # Seats are counted: there is no other unit to state them in.
    profile = json.dumps({"faults": {"biz.schema_drift": {"p": 1, "params": {"change": ["unit"]}}}})

    told = told_of("explain", profile, "--scenario", "license_renewal")
    shown = said("chaos", "explain", profile, "--scenario", "license_renewal")

    assert (told["business"], told["not_offered"]) == ([], ["biz.schema_drift"])
    assert "not offered by this scenario:\n  biz.schema_drift\n" in shown


def test_a_calm_episode_has_nothing_to_explain() -> None:
    shown = said("chaos", "explain", "0")

    assert shown.count("  nothing") == 3


def test_a_profile_may_be_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    path.write_text('{"preset": "storm", "only": ["event"]}', encoding="utf-8")

    told = told_of("explain", f"@{path}")

    assert {fault.partition(".")[0] for fault in told["chaos"]["profile"]["faults"]} == {"evt"}
