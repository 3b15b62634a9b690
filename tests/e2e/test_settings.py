"""What a person may set of the Compose stack: where it is published and to whom, durability, new secrets."""

import json

import httpx

from companyos.client import CompanyosEnv

from .compose import LASTING, Stack, new_stack
from .conftest import TOKEN

QUERY = ("psql", "-U", "postgres", "-d", "companyos", "-Atc")


def test_publishing_beyond_this_machine_without_a_token_starts_nothing(engine: None) -> None:
    stack = new_stack("open", COMPANYOS_BIND="0.0.0.0")
    try:
        refused = stack.compose("up", "--wait", check=False)

        assert refused.returncode != 0
        assert "COMPANYOS_TRAINER_TOKEN" in stack.compose("logs", "secrets").stdout
        assert stack.compose("ps", "--status", "running", "--quiet").stdout == ""
    finally:
        stack.compose("down", "--volumes")


def test_the_orchestrator_itself_refuses_to_be_published_without_a_token(stack: Stack) -> None:
    options = ("run", "--rm", "-T", "--no-deps", "-e", "COMPANYOS_PUBLISHED_HOST=0.0.0.0")

    refused = stack.compose(*options, "orchestrator", check=False)

    assert refused.returncode != 0
    assert "COMPANYOS_TRAINER_TOKEN" in refused.stdout + refused.stderr


def test_a_stack_with_a_token_opens_to_trainers_that_have_it(guarded: Stack) -> None:
    alone = httpx.get(f"{guarded.url}/scenarios")
    trainer = httpx.get(f"{guarded.url}/scenarios", headers={"Authorization": f"Bearer {TOKEN}"})

    assert (alone.status_code, trainer.status_code) == (401, 200)


def test_operators_read_metrics_with_the_token_that_every_process_has(guarded: Stack) -> None:
    token = guarded.execute("orchestrator", "cat", "/run/secrets/operator_token").stdout
    operator = {"Authorization": f"Bearer {token}"}

    answers = [httpx.get(f"{guarded.url}{path}", headers=operator) for path in ("/metrics", "/episodes")]

    assert [answer.status_code for answer in answers] == [200, 401]
    assert "companyos_steps" in answers[0].text


def test_the_trainers_token_stays_out_of_everything_that_runs(guarded: Stack) -> None:
    told = json.dumps([guarded.inspect(service) for service in (*LASTING, "migrate")])

    assert TOKEN not in told


def test_commits_wait_for_the_disk_where_that_was_asked_for(stack: Stack, guarded: Stack) -> None:
    asked = [each.execute("postgres", *QUERY, "SHOW synchronous_commit").stdout for each in (stack, guarded)]

    assert [answer.strip() for answer in asked] == ["off", "on"]


def test_new_secrets_take_the_place_of_the_old_and_episodes_go_on(guarded: Stack) -> None:
    read = ("cat", "/run/secrets/database_url", "/run/secrets/redis_url", "/run/secrets/context_key")
    before = guarded.execute("orchestrator", *read).stdout
    with CompanyosEnv(guarded.url, token=TOKEN) as env:
        env.reset(scenario="vendor_onboarding")

        guarded.compose("run", "--rm", "-T", "--no-deps", "secrets", "--rotate")
        guarded.compose("up", "--detach", "--wait", "--force-recreate")

        assert env.call("ticketdesk_list_tickets").observation["error"] is None
    assert guarded.execute("orchestrator", *read).stdout != before
