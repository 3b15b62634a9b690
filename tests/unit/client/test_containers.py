"""Containers that a client starts: what a provider is asked for, and what becomes of one that fails."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path

import pytest

from companyos.client import AsyncCompanyosEnv, CompanyosEnv, ContainerFailed


class Recorder:
    """A provider that starts nothing, and records what it is asked for."""

    def __init__(self, *, fails: bool = False) -> None:
        self.calls: list[object] = []
        self._fails = fails

    def start_container(self, image: str, *, env_vars: dict[str, str]) -> str:
        self.calls.append((image, env_vars))
        return "http://127.0.0.1:1"

    def wait_for_ready(self, base_url: str, timeout_s: float) -> None:
        self.calls.append((base_url, timeout_s))
        if self._fails:
            raise ContainerFailed("It said: no.")

    def stop_container(self) -> None:
        self.calls.append("stopped")


def test_a_provider_starts_the_image_and_close_stops_it_once() -> None:
    provider = Recorder()

    env = CompanyosEnv.from_docker_image("some-image", provider, env_vars={"A": "b"}, wait_timeout=7)
    env.close()
    env.close()

    assert provider.calls == [("some-image", {"A": "b"}), ("http://127.0.0.1:1", 7), "stopped"]


async def test_the_asynchronous_client_stops_it_too() -> None:
    provider = Recorder()

    async with AsyncCompanyosEnv.from_docker_image(provider=provider):
        assert "stopped" not in provider.calls

    assert provider.calls[-1] == "stopped"


async def test_a_blocking_client_that_is_entered_asynchronously_stops_it_too() -> None:
    provider = Recorder()

    async with CompanyosEnv.from_docker_image(provider=provider):
        assert "stopped" not in provider.calls

    assert provider.calls[-1] == "stopped"


def test_a_container_that_fails_is_stopped() -> None:
    provider = Recorder(fails=True)

    with pytest.raises(ContainerFailed, match="It said"):
        CompanyosEnv.from_docker_image(provider=provider)

    assert provider.calls[-1] == "stopped"


def test_a_client_of_a_server_stops_nothing() -> None:
    CompanyosEnv("http://127.0.0.1:1").close()


def test_without_docker_the_message_names_the_way_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ContainerFailed, match=r"CompanyosEnv\.local\(\)"):
        CompanyosEnv.from_docker_image()


def test_a_client_is_what_openenvs_tools_do_with_theirs() -> None:
    env = CompanyosEnv("http://127.0.0.1:1")

    assert isinstance(env, Coroutine)
    assert asyncio.run(env) is env
    assert env.sync() is env
    with pytest.raises(KeyError):
        env.throw(KeyError())


async def test_a_client_can_be_awaited() -> None:
    env = CompanyosEnv("http://127.0.0.1:1")

    assert await env is env
