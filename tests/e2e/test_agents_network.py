"""An agent in a container on the network for agents: it works through port 8080, and reaches nothing else."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.patience import PATIENCE_S

from .compose import LASTING, PROCESSES, Stack, docker, docker_json

SCENARIO = "vendor_onboarding"
SCAN = Path(__file__).with_name("scan.py")
OUTSIDE = ["1.1.1.1", "8.8.8.8", "169.254.169.254"]
STRANGE_NAMES = ["example.com", "host.docker.internal", "gateway.docker.internal"]

#: Reads its task, does a step of work and finishes, with nothing but the token and a name.
WORK = """
import json, sys, urllib.request
token = sys.argv[1]
def call(method, path, body=None):
    request = urllib.request.Request("http://agent-api:8080" + path, method=method)
    request.add_header("Authorization", "Bearer " + token)
    data = None if body is None else json.dumps(body).encode()
    return json.load(urllib.request.urlopen(request, data, timeout=60))
print(json.dumps([call("GET", "/task"), call("GET", "/ticketdesk/tickets?limit=1"), call("POST", "/finish", {})]))
"""
#: Sends request lines as they are, and prints the status of each answer.
ASK = """
import socket, sys
for line in sys.argv[1:]:
    with socket.create_connection(("agent-api", 8080), timeout=60) as connection:
        connection.sendall(line.encode() + b" HTTP/1.1\\r\\nHost: trainer-api:8000\\r\\nConnection: close\\r\\n\\r\\n")
        print(connection.makefile("rb").readline().split()[1].decode())
"""
TRAINERS_WAYS = [
    "GET /",
    "GET /episodes",
    "GET /metrics",
    "GET /ready",
    "GET /docs",
    "GET /openapi.json",
    "POST /reset",
    "GET http://trainer-api:8000/episodes",
    "GET http://orchestrator:8000/episodes",
    "GET http://ticketdesk:8001/metrics",
    "GET /ticketdesk/metrics",
    "GET /ticketdesk/openapi.json",
    "GET /ticketdesk/docs",
    "GET /ticketdesk/admin/manifest",
    "CONNECT trainer-api:8000",
    "TRACE /",
]


@dataclass(frozen=True)
class AgentContainer:
    """A container that stands where agents do."""

    name: str

    def python(self, program: str, *arguments: str) -> str:
        """Run a Python program in it and return what it printed."""
        ran = docker("exec", self.name, "python", "-c", program, *arguments)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout


@pytest.fixture(scope="module")
def agent(stack: Stack) -> Iterator[AgentContainer]:
    name = f"{stack.project}-an-agent"
    image = stack.inspect("orchestrator")["Config"]["Image"]
    begun = docker(
        "run", "--detach", "--name", name, "--network", f"{stack.project}_agents",
        "--entrypoint", "sleep", image, "600",
    )  # fmt: skip
    assert begun.returncode == 0, begun.stderr
    yield AgentContainer(name)
    docker("rm", "--force", name)


def new_agent_token(stack: Stack) -> dict[str, Any]:
    answer = httpx.post(
        f"{stack.url}/reset", json={"scenario": SCENARIO, "seed": 7, "chaos": 0}, timeout=PATIENCE_S
    )
    about: dict[str, Any] = answer.raise_for_status().json()["metadata"]
    return about


def test_an_agent_in_a_container_plays_its_episode(stack: Stack, agent: AgentContainer) -> None:
    about = new_agent_token(stack)

    task, tickets, _ = json.loads(agent.python(WORK, about["agent_token"]))

    trace = httpx.get(f"{stack.url}/episodes/{about['episode_id']}").raise_for_status().json()
    assert task["steps_remaining"] > 0
    assert len(tickets["items"]) == 1
    assert trace["done"] is True


def test_an_agent_on_the_host_finds_the_agent_api_where_its_metadata_say(stack: Stack) -> None:
    about = new_agent_token(stack)

    task = httpx.get(about["agent_urls"]["task"], headers={"Authorization": f"Bearer {about['agent_token']}"})

    assert about["agent_urls"]["task"] == f"{stack.agent_url}/task"
    assert task.status_code == 200


def test_from_the_agents_network_nothing_but_port_8080_answers(stack: Stack, agent: AgentContainer) -> None:
    own, others = addresses(stack)
    wanted = {"own": own, "others": [*others, *OUTSIDE], "names": [*LASTING, *STRANGE_NAMES]}

    found = json.loads(agent.python(SCAN.read_text(), json.dumps(wanted)))

    assert len(own) == 1
    assert found["own"] == {own[0]: [8080]}
    assert {address: ports for address, ports in found["others"].items() if ports} == {}
    assert found["names"] == ["agent-api"]


def test_the_agents_network_has_no_way_out(agent: AgentContainer) -> None:
    routes = docker("exec", agent.name, "cat", "/proc/net/route").stdout.splitlines()[1:]

    assert routes
    assert [route for route in routes if route.split()[1] == "00000000"] == []


def test_port_8080_leads_to_no_other_listener_however_it_is_asked(agent: AgentContainer) -> None:
    statuses = dict(zip(TRAINERS_WAYS, agent.python(ASK, *TRAINERS_WAYS).split(), strict=True))

    assert {
        way: status for way, status in statuses.items() if status not in {"400", "401", "404", "405"}
    } == {}


@pytest.mark.parametrize("service", PROCESSES)
def test_a_process_is_on_no_network_of_agents(stack: Stack, service: str) -> None:
    joined = stack.inspect(service)["NetworkSettings"]["Networks"]

    assert f"{stack.project}_agents" not in joined


def addresses(stack: Stack) -> tuple[list[str], list[str]]:
    """Return the addresses of the stack on the network for agents, and all its other ones, the host's included."""
    agents = f"{stack.project}_agents"
    own, others = [], []
    for service in LASTING:
        for network, joined in stack.inspect(service)["NetworkSettings"]["Networks"].items():
            (own if network == agents else others).append(joined["IPAddress"])
    for network in ("edge", "agents", "control", "svc", "data"):
        [settings] = docker_json("network", "inspect", f"{stack.project}_{network}")[0]["IPAM"]["Config"]
        others.append(settings["Gateway"])
    return own, others
