"""Who failed: the agent, its budget or the environment, each on record as what it was."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.agents.turn import AsyncAgent
from companyos.evaluation.runs import (
    AgentSpec,
    Budgets,
    EpisodeEnding,
    EpisodeRecord,
    RunFolder,
    RunRequest,
    read_run,
)
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.play import playing_here
from companyos.evaluation.runs.players.scripted import scripted_source
from companyos.evaluation.runs.runner import RunSession, Watch
from tests.live_services import free_port
from tests.patience import PATIENCE_S

from .conftest import CommandLine, closing_home
from .run_agents import FailingAt, Hanging, Saying, unmakeable

REQUEST = RunRequest(
    agent=AgentSpec("test", "test", {"model": "m"}),
    scenarios={"expense_report": 4},
    seeds=(0,),
    chaos=(0,),
    concurrency=4,
)
ABOUT = {"name": "test"}
Play = Callable[..., Any]


@pytest.fixture
async def connection(running: CommandLine) -> AsyncIterator[TrainerConnection]:
    async with TrainerConnection(running.status.url) as opened:
        yield opened


@pytest.fixture(scope="module")
def restarted_stack(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[CommandLine, Sequence[str]]]:
    """A command line whose stack runs and may be ended, and the command that starts it anew at the same address."""
    started = ("up", "--detach", "--port", str(free_port()))
    with closing_home(tmp_path_factory.mktemp("ended")) as companyos:
        assert companyos(*started).returncode == 0
        yield companyos, started


@pytest.fixture
def play(connection: TrainerConnection, tmp_path: Path) -> Play:
    """Plays an agent and returns the records."""

    async def played(make: Callable[[], AsyncAgent], request: RunRequest = REQUEST) -> list[EpisodeRecord]:
        with RunFolder.open(tmp_path / "run", request, ABOUT) as folder:
            playing = playing_here(request, "run", connection, lambda task: make())
            await RunSession(request, folder, connection, playing).play()
        return list(read_run(tmp_path / "run").episodes)

    return played


@pytest.mark.parametrize(
    ("make", "told", "steps"),
    [(unmakeable, "cannot be made", 0), (lambda: FailingAt(3), "the endpoint refused", 3)],
)
async def test_an_agent_that_fails_is_an_agent_error(
    play: Play, tmp_path: Path, make: Callable[[], AsyncAgent], told: str, steps: int
) -> None:
    (record,) = await play(make)

    assert (record.ended, record.agent_error, record.steps) == (EpisodeEnding.AGENT_ERROR, told, steps)
    assert (record.success, record.invalid, record.environment_failure) == (False, False, None)
    assert record.predicates
    assert len(read_run(tmp_path / "run").trace(record.key)) == steps + 1


async def test_the_trace_of_an_unfinished_episode_is_verified(
    play: Play, running: CommandLine, tmp_path: Path
) -> None:
    (record,) = await play(lambda: FailingAt(2))

    checked = running("verify", str(tmp_path / "run" / "traces" / f"{record.key}.jsonl"))

    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    "said",
    [
        "I would rather not.",
        None,
        [],
        {"tool_name": "finish", "arguments": {}, "mood": "good"},
        {"tool_name": "x" * 300_000, "arguments": {}},
        {"tool_name": "finish", "arguments": {"a": float("nan")}},
    ],
)
async def test_invalid_action_is_charged_to_the_agent_without_ending_the_run(play: Play, said: Any) -> None:
    (record,) = await play(lambda: Saying(said), replace(REQUEST, budgets=Budgets(steps=2)))

    assert record.ended is EpisodeEnding.BUDGET
    assert (record.steps, record.environment_failure) == (2, None)
    assert record.invalid_actions + record.refused_calls == 2
    assert record.episode_return < -0.2


async def test_a_run_goes_on_when_its_server_is_back_and_ends_as_an_undisturbed_one(
    restarted_stack: tuple[CommandLine, Sequence[str]], tmp_path: Path
) -> None:
    companyos, started = restarted_stack
    request = replace(REQUEST, seeds=tuple(range(8)))
    restarts: list[asyncio.Future[Any]] = []

    def restart() -> None:
        companyos("down", "--force")
        companyos(*started)

    def watch(record: EpisodeRecord) -> None:
        if record.seed == 2 and not restarts:
            restarts.append(asyncio.ensure_future(asyncio.to_thread(restart)))

    async def session(folder: Path, watch: Watch) -> list[dict[str, Any]]:
        async with TrainerConnection(companyos.status.url) as connection:
            with RunFolder.open(folder, request, ABOUT) as opened:
                playing = playing_here(request, "run", connection, scripted_source("oracle"))
                await RunSession(request, opened, connection, playing, watch).play()
        return sorted((one.decisive() for one in read_run(folder).episodes), key=lambda one: one["key"])

    disturbed = await session(tmp_path / "disturbed", watch)
    await asyncio.gather(*restarts)

    assert len(restarts) == 1
    assert disturbed == await session(tmp_path / "quiet", lambda record: None)


async def test_a_session_that_is_canceled_closes_its_episodes_and_records_none_of_them(
    connection: TrainerConnection, tmp_path: Path
) -> None:
    before = await open_episodes(connection)
    with RunFolder.open(tmp_path / "run", REQUEST, ABOUT) as folder:
        hanging = playing_here(REQUEST, "run", connection, lambda task: Hanging())
        session = RunSession(REQUEST, folder, connection, hanging)
        playing = asyncio.create_task(session.play())
        async with asyncio.timeout(PATIENCE_S):
            while await open_episodes(connection) == before:
                await asyncio.sleep(0.05)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing

    assert await open_episodes(connection) == before
    assert read_run(tmp_path / "run").episodes == ()


async def open_episodes(connection: TrainerConnection) -> int:
    return len((await connection.get("/episodes?done=false"))["items"])
