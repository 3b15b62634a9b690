"""What a running stack shows."""

import json
import select
import signal
import subprocess
import urllib.request
from pathlib import Path

import psycopg

from companyos.sdk import stackpath
from companyos.sdk.scenario import load_scenarios
from tests.patience import PATIENCE_S
from tests.sizes import whole_proof

from .conftest import CommandLine, wait_until

OUTSIDE = Path(__file__).parents[2] / "scenarios" / "outside"
HTTP = ["ticketdesk", "datahub", "approvalflow", "orchestrator"]


def test_every_process_is_ready_at_its_address(running: CommandLine) -> None:
    shown = running.json("status")

    assert shown["running"] is True
    assert shown["ready"] == dict.fromkeys([*HTTP, "postgres", "redis"], True)
    assert set(shown["addresses"]) == {*HTTP, "postgres", "redis"}
    assert all(process["running"] for process in shown["processes"])
    assert shown["url"] == shown["addresses"]["orchestrator"]


def test_the_agent_api_is_at_the_address_that_episodes_tell_their_agents(running: CommandLine) -> None:
    shown = running.json("status")
    reset = urllib.request.Request(f"{shown['url']}/reset", b"{}", {"content-type": "application/json"})
    with urllib.request.urlopen(reset, timeout=PATIENCE_S) as answer:
        told = json.load(answer)["metadata"]

    task = urllib.request.Request(
        told["agent_urls"]["task"], headers={"Authorization": f"Bearer {told['agent_token']}"}
    )
    with urllib.request.urlopen(task, timeout=PATIENCE_S) as answer:
        assert json.load(answer)["step"] == 0
    assert told["agent_urls"]["rest"] == shown["agent_url"] != shown["url"]
    assert f"agent API     {shown['agent_url']}" in running("status").stdout


def test_the_status_file_is_its_owners_alone_and_status_shows_no_secret(running: CommandLine) -> None:
    secrets = running.home.secrets(["ticketdesk", "context_key", "admin_token"])

    shown = running("status", "--json").stdout + running("status").stdout

    assert running.home.status_file.stat().st_mode & 0o777 == 0o600
    assert not [name for name, secret in secrets.items() if secret in shown]


def test_up_again_shows_the_running_stack(running: CommandLine) -> None:
    pids = running.all_pids()

    again = running("up", "--detach")

    assert again.returncode == 0
    assert "Already running" in again.stdout
    assert running.status.url in again.stdout
    assert running.all_pids() == pids


def test_up_on_another_port_is_refused_while_it_runs(running: CommandLine) -> None:
    refused = running("up", "--port", "1")

    assert refused.returncode == 1
    assert "companyos down" in refused.stderr


def test_the_database_is_where_status_says(running: CommandLine) -> None:
    with psycopg.connect(running.status.addresses["postgres"]) as connection:
        roles = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles").fetchall()}

    assert {*HTTP} <= roles


def test_logs_show_the_end_of_one_or_of_all(running: CommandLine) -> None:
    assert all(line.startswith("postgres | ") for line in running("logs", "postgres").stdout.splitlines())
    assert "valkey" in running("logs").stdout

    refused = running("logs", "nobody")
    assert refused.returncode == 2
    assert "ticketdesk" in refused.stderr


def test_the_demo_tells_a_failure_a_solution_and_the_counterpart_on_a_page(running: CommandLine) -> None:
    shown = running("demo", "--url", running.status.url)

    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    # Two more tell that `make demo` makes an environment first.
    assert len(lines) <= 38
    assert max(map(len, lines)) <= 80
    assert [line.split()[:3] for line in lines if line.startswith("    = ")] == [
        ["=", "not", "solved"],
        ["=", "solved", "in"],
        ["=", "solved", "in"],
    ]
    assert "reads value 81.0, not 76.0" in shown.stdout
    assert lines[-1].endswith("companyos play vendor_onboarding --seed 44")


@whole_proof
def test_the_demo_of_all_scenarios_ends_with_a_table_in_which_every_oracle_won(running: CommandLine) -> None:
    shown = running("demo", "--all", "--episodes", "1", "--url", running.status.url)

    assert shown.returncode == 0, shown.stderr
    lines = [line.split() for line in shown.stdout.splitlines() if " oracle  " in line]
    assert len(lines) == len(load_scenarios())
    assert all(line[3:5] == ["100%", "100%"] for line in lines)


def test_the_demo_speaks_json_to_programs(running: CommandLine) -> None:
    document = running.json("demo", "--seed", "45")

    assert document["url"] == running.status.url
    assert [(one["agent"], one["seed"], one["success"]) for one in document["episodes"]] == [
        ("believes_claims", 45, False),
        ("oracle", 45, True),
        ("believes_claims", 44, False),
        ("oracle", 44, True),
    ]


@whole_proof
def test_one_scenario_is_certified(running: CommandLine) -> None:
    report = running.json("certify", "vendor_onboarding", "--seeds", "2")

    assert report["certified"] is True, report["faults"] + report["untried"]


@whole_proof
def test_one_scenario_is_attacked_and_nothing_pays(running: CommandLine) -> None:
    little = ("--seeds", "1", "--pairs", "1", "--loops", "2", "--rounds", "1")

    told = running("attack", "expense_report", *little)

    assert told.returncode == 0, told.stderr
    assert told.stdout.endswith("\nno attack pays\n")


def test_certification_reports_untried_agents_and_certifies_nothing(running: CommandLine) -> None:
    certify = ("certify", "expense_report", "--seeds", "2", "--levels", "0", "--agent", "oracle")

    told, report = running(*certify), running.json(*certify)

    assert told.returncode == 0
    assert "believes_claims did not play" in told.stdout
    assert "\ncertified" not in told.stdout
    assert report["certified"] is False
    assert report["faults"] == []


def test_followed_logs_show_what_is_written_next(running: CommandLine) -> None:
    follow = ["logs", "ticketdesk", "--follow", "--lines", "0", "--home", str(running.home.path)]
    with subprocess.Popen(
        stackpath.program(*follow), env=stackpath.environment(), stdout=subprocess.PIPE, text=True
    ) as following:

        def something_new_was_shown() -> bool:
            with running.home.log("ticketdesk").open("a") as log:
                log.write("something new\n")
            return bool(select.select([following.stdout], [], [], 0)[0])

        try:
            wait_until(something_new_was_shown)
            following.send_signal(signal.SIGINT)
            said, _ = following.communicate(timeout=PATIENCE_S)
        finally:
            following.kill()

    assert said.startswith("ticketdesk | something new")
    assert following.returncode == 0


def test_a_scenario_that_the_running_stack_does_not_offer_is_not_certified(running: CommandLine) -> None:
    asked = ("certify", "handover", "--levels", "0", "--seeds", "2")

    unknown = running(*asked)
    absent = running(*asked, COMPANYOS_SCENARIOS=str(OUTSIDE))

    assert (unknown.returncode, absent.returncode) == (2, 1)
    assert "For one of your own, set COMPANYOS_SCENARIOS to its folder" in unknown.stderr
    assert "There is no scenario handover here" in absent.stderr
    assert "`companyos down`, `companyos up`" in absent.stderr
