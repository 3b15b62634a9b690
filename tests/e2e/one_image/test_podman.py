"""The cells of the Helm chart as pods that Podman plays, since no Kubernetes is to be had."""

import os
import shutil
import time
from collections.abc import Iterator

import httpx
import pytest

from companyos import CompanyosEnv
from tests.adapters.test_chart import rendered, the

from .container import DEADLINE_S
from .podman import load, modest_configuration, played, pod_of, podman

CELLS = ("companyos-0", "companyos-1")
RESET = {"scenario": "vendor_onboarding", "seed": 1}

pytestmark = pytest.mark.skipif(
    shutil.which("podman") is None or os.geteuid() != 0, reason="needs Podman, and root, who reaches its pods"
)


@pytest.fixture(scope="module")
def pods(image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The trainer API of each of two cells, by name, as the chart has them."""
    with pytest.MonkeyPatch.context() as patched:
        configuration = modest_configuration(tmp_path_factory.mktemp("podman") / "containers.conf")
        patched.setenv("CONTAINERS_CONF", configuration)
        load(image)
        name, _, tag = image.partition(":")
        documents = rendered({"image": {"repository": f"docker.io/library/{name}", "tag": tag}})
        maker = the(documents, "StatefulSet", "companyos")
        secret = the(documents, "Secret", "companyos-tokens")
        with played([secret, *(pod_of(maker, number) for number in range(len(CELLS)))]) as addresses:
            yield {pod: f"http://{address}:8000" for pod, address in addresses.items()}
        podman("rmi", "--force", f"docker.io/library/{image}")


@pytest.fixture(scope="module")
def token(pods: dict[str, str]) -> str:
    """The trainer token, as the cells were given it: old releases of Podman leave it in base64."""
    wait_until_ready(pods)
    return podman("exec", f"{CELLS[0]}-cell", "cat", "/run/companyos/trainer_token").strip()


def wait_until_ready(pods: dict[str, str]) -> None:
    ends = time.monotonic() + DEADLINE_S
    for url in pods.values():
        while not is_ready(url):
            assert time.monotonic() < ends, podman("ps", "--all")
            time.sleep(0.2)


def is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/ready", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def test_two_pods_are_cells_with_their_names_and_want_the_token(pods: dict[str, str], token: str) -> None:
    header = {"Authorization": f"Bearer {token}"}

    names = {pod: httpx.get(f"{url}/cell", headers=header).json()["name"] for pod, url in pods.items()}
    refused = httpx.post(f"{pods[CELLS[0]]}/reset", json=RESET)

    assert names == {cell: cell for cell in CELLS}
    assert refused.status_code == 401


def test_a_client_of_both_pods_plays_forks_and_goes_past_the_one_that_is_to_stop(
    pods: dict[str, str], token: str
) -> None:
    with CompanyosEnv(list(pods.values()), token=token) as env:
        env.reset(**RESET, episode_id=f"{CELLS[0]}.mine")
        stepped = env.call("ticketdesk_list_tickets")
        [branch] = env.fork(1)
        branched = str(branch.episode_id)
        branch.close()
        stopping = podman("exec", f"{CELLS[0]}-cell", "companyos", "drain", "--seconds", "600")
        begun = [env.reset(**{**RESET, "seed": seed}).metadata.episode_id for seed in range(4)]

    assert not stepped.done
    assert branched.startswith(f"{CELLS[0]}.")
    assert stopping
    assert {str(name).partition(".")[0] for name in begun} == {CELLS[1]}
