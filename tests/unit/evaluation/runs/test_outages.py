"""A run outlasts an outage of its server: it waits, says so, and goes on where it was."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from aiohttp import web

from companyos.client import Refused, ServerUnreachable, Unavailable
from companyos.evaluation.agents import Oracle
from companyos.evaluation.runs import EpisodeTask, RunFolder
from companyos.evaluation.runs import outages as module
from companyos.evaluation.runs.comparison import OracleSteps
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.outages import Outages
from companyos.evaluation.runs.play import playing_here
from companyos.evaluation.runs.players.scripted import ScriptedPlayer
from companyos.evaluation.runs.stops import ServerGone
from tests.live_services import free_port
from tests.patience import PATIENCE_S

from ..scripted_trainer import Doors, ScriptedTrainer, problem, scripted_trainer
from .test_run_episode import TASK, request

AWAY, BUSY = ServerUnreachable("nobody there."), Unavailable(503, "overloaded", "later.")


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses of milliseconds, all of them announced."""
    monkeypatch.setattr(module, "PAUSES_S", (0.001, 0.005))
    monkeypatch.setattr(module, "QUIET_S", 0.0)
    monkeypatch.setattr("companyos.client.conversation.PAUSES_S", (0.001,))


async def ready() -> bool:
    return True


async def unready() -> bool:
    return False


def answering_after(attempts: int, failure: Exception) -> Callable[[], Awaitable[str]]:
    asked = count()

    async def ask() -> str:
        if next(asked) < attempts:
            raise failure
        return "here"

    return ask


@pytest.mark.parametrize("failure", [AWAY, BUSY])
async def test_a_request_waits_until_the_server_answers_and_says_so_once(failure: Exception) -> None:
    said: list[str] = []

    answer = await Outages(ready, say=said.append).outlast(answering_after(5, failure))

    assert answer == "here"
    assert [text.partition(", and")[0] for text in said] == [
        "The server is away",
        "The server answers again, after 0 s.",
    ]


async def test_a_server_that_stays_away_stops_the_run() -> None:
    with pytest.raises(ServerGone, match="nobody there"):
        await Outages(ready, longest_s=0.05).outlast(answering_after(10**6, AWAY))


async def test_a_request_that_a_ready_server_puts_off_fails_alone() -> None:
    outages = Outages(ready, put_off_s=0.05)

    with pytest.raises(Unavailable):
        await outages.outlast(answering_after(10**6, BUSY))


async def test_a_server_that_is_not_ready_is_away_whatever_it_answers() -> None:
    outages = Outages(unready, put_off_s=0.01, longest_s=0.1)

    with pytest.raises(ServerGone, match="overloaded"):
        await outages.outlast(answering_after(10**6, BUSY))


async def test_a_refusal_is_an_answer() -> None:
    with pytest.raises(Refused, match="no such thing"):
        await Outages(ready).outlast(answering_after(1, Refused(404, "unknown", "no such thing")))


@contextmanager
def away_for(trainer: ScriptedTrainer, requests: int) -> Iterator[None]:
    """Let the server put off so many requests after the reset."""
    asked = count()

    def interferes(method: str, path: str, body: object) -> web.Response | None:
        is_away = path != "/reset" and next(asked) < requests
        return problem(503, "stopping", retryable=True) if is_away else None

    trainer.interferes = interferes
    yield
    assert next(asked) > requests
    trainer.interferes = lambda method, path, body: None


def oracle_of_doors(task: EpisodeTask) -> ScriptedPlayer:
    return ScriptedPlayer(Oracle(Doors()), Doors())


async def test_an_episode_goes_on_after_an_outage_as_if_there_had_been_none(
    trainer: ScriptedTrainer,
) -> None:
    async def played(requests: int) -> dict[str, object]:
        async with TrainerConnection(trainer.url) as connection:
            play = playing_here(request(), "a run", connection, oracle_of_doors, Outages(ready))
            with away_for(trainer, requests):
                return (await play(TASK)).record.decisive()

    assert await played(40) == await played(0)


@pytest.mark.usefixtures("doors")
async def test_the_oracle_that_a_run_is_compared_with_outlasts_an_outage_too(
    trainer: ScriptedTrainer, tmp_path: Path
) -> None:
    asked = request(oracle=True)

    async with TrainerConnection(trainer.url) as connection:
        with RunFolder.open(tmp_path / "run", asked, {"name": "mine"}) as folder:
            oracle = OracleSteps(asked, folder, connection)
            with away_for(trainer, 20):
                steps = await oracle.of(TASK)

    assert steps == 3


async def test_a_run_waits_for_a_server_that_comes_back_on_its_port() -> None:
    port = free_port()
    said: list[str] = []

    async with TrainerConnection(f"http://127.0.0.1:{port}") as connection:
        outages = Outages(connection.is_ready, say=said.append)
        asking = asyncio.create_task(outages.outlast(lambda: connection.get("/scenarios")))
        async with asyncio.timeout(PATIENCE_S):
            while not said:
                await asyncio.sleep(0.01)
        async with scripted_trainer(port=port):
            answer = await asyncio.wait_for(asking, PATIENCE_S)

    assert answer == []
    assert said[-1].startswith("The server answers again")
