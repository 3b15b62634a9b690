"""`companyos run` with an endpoint that answers no request: a short end with the reason, and a second try."""

import asyncio
from pathlib import Path

import pytest

from companyos.evaluation.runs import read_run
from tests.scripted_endpoint import (
    Endpoint,
    Scripted,
    scripted_endpoint,
)

from .conftest import CommandLine

CHOSEN = ("expense_report", "--seeds", "100", "--chaos", "0", "--concurrency", "4")


def refusing(status: int, number: int = 1) -> Scripted:
    """An answer that names its request, as vendors do."""
    told = f"You may not do this. (request id: req_{number:03}af93c1d2e4b5)"
    return Scripted({"error": {"message": told, "type": "refused", "code": None}}, status=status)


def played(endpoint_url: str, kind: str, out: Path, *more: str) -> tuple[str, ...]:
    base_url = f"{endpoint_url}/v1" if kind == "openai" else endpoint_url
    told = ("--agent", kind, "--model", "scripted", "--base-url", base_url)
    return ("run", *told, *CHOSEN, "--out", str(out), *more)


def numbered(endpoint: Endpoint, status: int) -> None:
    endpoint.decides = lambda request: refusing(status, len(endpoint.requests))


@pytest.mark.parametrize(
    ("kind", "status", "plain"),
    [
        ("openai", 401, "it refuses the key in OPENAI_API_KEY"),
        ("anthropic", 404, "it does not know the model, or the URL is wrong"),
    ],
)
async def test_an_endpoint_that_refuses_every_request_ends_the_run_with_the_reason(
    running: CommandLine, tmp_path: Path, kind: str, status: int, plain: str
) -> None:
    out = tmp_path / "run"
    async with scripted_endpoint() as endpoint:
        numbered(endpoint, status)
        ended = await asyncio.to_thread(
            running, *played(endpoint.url, kind, out), OPENAI_API_KEY="sk-a", ANTHROPIC_API_KEY="sk-b"
        )
        assert len(endpoint.requests) <= 8

    told = " ".join(ended.stderr.split())
    assert ended.returncode == 1
    assert plain in told
    # At the end, and before as progress if the run takes that long.
    assert told.count("You may not do this.") in (1, 2)
    assert "--retry-errors" in told
    assert "success" not in ended.stdout + ended.stderr
    assert 3 <= len(read_run(out).episodes) <= 8


async def test_a_run_too_short_to_be_stopped_fails_as_well_when_every_episode_is_an_agent_error(
    running: CommandLine, tmp_path: Path
) -> None:
    async with scripted_endpoint() as endpoint:
        numbered(endpoint, 401)
        command = (*played(endpoint.url, "openai", tmp_path / "run"), "--seeds", "2", "--concurrency", "1")
        ended = await asyncio.to_thread(running, *command)
        again = await asyncio.to_thread(running, *command)

    for one in (ended, again):
        assert one.returncode == 1
        assert "The agent failed in all 2 episodes" in " ".join(one.stderr.split())
        assert "2 x scripted at" in " ".join(one.stdout.split())
