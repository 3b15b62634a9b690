"""Clients that start the container themselves: ours, OpenEnv's, and OpenEnv's AutoEnv with ours."""

import asyncio
import os
import subprocess
from pathlib import Path

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.client import AsyncCompanyosEnv, ContainerFailed
from examples import oracle

from ..compose import ROOT, docker
from .container import DEADLINE_S, IMAGE

PROGRAMS = Path(__file__).parents[2] / "contracts" / "openenv_programs"
TOKEN = "the-trainers-token-of-this-test"


def containers() -> set[str]:
    """The containers of the image that there are now, running or not."""
    listed = docker("ps", "--all", "--quiet", "--filter", f"ancestor={IMAGE}").stdout
    return set(listed.split())


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> object:
    before = containers()
    yield
    assert containers() == before


def test_a_client_starts_a_container_plays_in_it_and_removes_it() -> None:
    with CompanyosEnv.from_docker_image(IMAGE, wait_timeout=DEADLINE_S) as env:
        assert oracle.play(env)[1].metadata.success is True
        assert env.base_url.startswith("http://127.0.0.1:")
        urls = env.reset(seed=7).metadata.agent_urls

        token = {"Authorization": f"Bearer {env.reset(seed=7).metadata.agent_token}"}
        assert httpx.get(urls["tools"], headers=token).status_code == 200


async def test_settings_go_into_the_container_its_token_to_the_client_and_that_can_be_awaited() -> None:
    settings = {"COMPANYOS_TRAINER_TOKEN": TOKEN, "COMPANYOS_SALT": "hush"}
    started = await asyncio.to_thread(
        CompanyosEnv.from_docker_image, IMAGE, env_vars=settings, wait_timeout=DEADLINE_S
    )
    async with await started as env:
        assert (await env.reset(seed=7)).metadata.seed == 7
        assert httpx.get(f"{env.base_url}/scenarios").status_code == 401


async def test_the_asynchronous_client_starts_one_too() -> None:
    async with await asyncio.to_thread(
        AsyncCompanyosEnv.from_docker_image, IMAGE, wait_timeout=DEADLINE_S
    ) as env:
        assert (await env.reset(seed=7)).metadata.seed == 7


@pytest.mark.parametrize(
    ("image", "settings", "told"),
    [
        (IMAGE, {"COMPANYOS_OPEN_ACCESS": "false"}, "COMPANYOS_TRAINER_TOKEN"),
        ("companyos-one:never-built", {}, "Docker refused"),
    ],
)
def test_a_container_that_cannot_run_is_told_and_removed(
    image: str, settings: dict[str, str], told: str
) -> None:
    with pytest.raises(ContainerFailed, match=told):
        CompanyosEnv.from_docker_image(image, env_vars=settings, wait_timeout=DEADLINE_S)


def test_one_that_is_not_ready_in_time_is_told_and_removed() -> None:
    with pytest.raises(ContainerFailed, match="not ready in 0 s"):
        CompanyosEnv.from_docker_image(IMAGE, wait_timeout=0)


def run(python: Path, program: str, *arguments: str, **environment: str) -> str:
    ran = subprocess.run(
        [python, PROGRAMS / program, *arguments],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S + 200,
        env={**os.environ, **environment},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_openenvs_own_client_starts_the_image_with_no_settings(openenv_python: Path) -> None:
    assert run(openenv_python, "start_image.py", IMAGE).split()[-1] == "vendor_onboarding"


def test_auto_env_starts_the_image_with_our_client(openenv_python: Path, tmp_path: Path) -> None:
    facts = tmp_path / "openenv_companyos-0.1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: openenv-companyos\nVersion: 0.1.0\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])

    said = run(openenv_python, "discover.py", "--image", IMAGE, PYTHONPATH=path, XDG_CACHE_HOME=str(tmp_path))

    assert said.split()[-3:] == ["True", "CompanyosEnv", "0"]
