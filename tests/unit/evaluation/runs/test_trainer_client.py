"""The client of a certification: it waits while a stack is busy, and refuses to certify what it does not offer."""

from typing import Any

import aiohttp
import pytest

from companyos.client import ProxyUnusable
from companyos.evaluation.offered import NotOffered
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.trainer import TrainerApi

from ..scripted_trainer import Doors, OtherDoors, ScriptedTrainer, problem, times


async def sent(trainer: ScriptedTrainer, token: str | None = None) -> Any:
    async with TrainerApi.opened(trainer.url, token, at_once=2) as api:
        return await api.send("GET", "/scenarios")


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_stack_is_asked_again_until_it_answers(trainer: ScriptedTrainer, status: int) -> None:
    trainer.interferes = times(2, "/scenarios", lambda: problem(status, "busy"))

    answer = await sent(trainer)

    assert [one["name"] for one in answer] == ["doors", "other_doors"]
    assert trainer.seen["GET /scenarios"] == 3


@pytest.mark.parametrize("status", [400, 401, 404, 409, 422, 500, 502])
async def test_any_other_refusal_ends_the_certification_at_once(
    trainer: ScriptedTrainer, status: int
) -> None:
    trainer.interferes = times(9, "/scenarios", lambda: problem(status, "refused"))

    with pytest.raises(aiohttp.ClientResponseError, match=str(status)):
        await sent(trainer)

    assert trainer.seen["GET /scenarios"] == 1


@pytest.mark.parametrize(("token", "header"), [(None, None), ("", None), ("t-1", "Bearer t-1")])
async def test_a_token_is_sent_where_there_is_one(
    trainer: ScriptedTrainer, token: str | None, header: str | None
) -> None:
    await sent(trainer, token)

    assert trainer.headers[0].get("authorization") == header


async def test_scenarios_that_the_server_has_as_they_are_here_are_offered(trainer: ScriptedTrainer) -> None:
    async with TrainerApi.opened(trainer.url, None, at_once=1) as api:
        await api.check_offered([Doors(), OtherDoors()])
        await api.check_offered([])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"name": "windows"}, "There is no scenario doors here."),
        ({"version": 2}, "doors is version 2 here, and 3 was expected."),
        ({"version": 4}, "doors is version 4 here, and 3 was expected."),
        ({"source": "0" * 32}, "doors was edited since this stack loaded it, or is of another release."),
    ],
)
async def test_another_scenario_version_or_code_is_not_certified(
    trainer: ScriptedTrainer, changed: dict[str, Any], told: str
) -> None:
    trainer.offered[0] |= changed

    async with TrainerApi.opened(trainer.url, None, at_once=1) as api:
        with pytest.raises(NotOffered) as refused:
            await api.check_offered([OtherDoors(), Doors()])

    assert str(refused.value) == told


async def listed_by_both(url: str) -> list[Any]:
    async with TrainerConnection(url) as connection, TrainerApi.opened(url, None, at_once=1) as api:
        return [await connection.get("/scenarios"), await api.send("GET", "/scenarios")]


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
async def test_a_server_elsewhere_is_asked_by_the_proxy_of_the_environment(
    trainer: ScriptedTrainer, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, trainer.url)

    first, second = await listed_by_both("http://far.example")

    assert first == second != []
    assert [each["host"] for each in trainer.headers] == ["far.example"] * 2


async def test_a_server_on_this_machine_is_asked_without_a_proxy(
    trainer: ScriptedTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")

    assert all(await listed_by_both(trainer.url))


async def test_a_proxy_that_is_no_http_proxy_is_named_by_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://user:pass@127.0.0.1:9")

    with pytest.raises(ProxyUnusable, match=r"ALL_PROXY.*NO_PROXY to far\.example") as refused:
        await listed_by_both("http://far.example")

    assert "pass" not in str(refused.value)
