"""What the engine says of every container: hardened, in its zone, and only the load balancers published."""

import pytest

from .compose import LASTING, LOAD_BALANCERS, ONE_SHOTS, PROCESSES, Stack, docker, docker_json

EVERY_CAPABILITY_GONE = "CapEff:\t0000000000000000"
every_container = pytest.mark.parametrize("service", [*LASTING, *ONE_SHOTS])
lasting_container = pytest.mark.parametrize("service", LASTING)


@every_container
def test_a_container_is_hardened(stack: Stack, service: str) -> None:
    host = stack.inspect(service)["HostConfig"]

    assert host["ReadonlyRootfs"]
    assert host["CapDrop"] == ["ALL"]
    assert not host["CapAdd"]
    assert host["SecurityOpt"] == ["no-new-privileges:true"]
    assert host["Init"]
    assert not host["Privileged"]
    assert host["NetworkMode"] != "host"
    assert host["PidMode"] != "host"
    assert min(host["PidsLimit"], host["Memory"], host["NanoCpus"]) > 0


@every_container
def test_a_container_mounts_volumes_and_its_own_configuration_only(stack: Stack, service: str) -> None:
    mounts = stack.inspect(service)["Mounts"]

    bound = [mount["Destination"] for mount in mounts if mount["Type"] == "bind"]
    assert all(path.startswith("/etc/companyos/") for path in bound)
    assert "docker.sock" not in str(mounts)


@lasting_container
def test_a_running_process_is_not_root_and_holds_no_capability(stack: Stack, service: str) -> None:
    status = stack.execute(service, "cat", "/proc/1/status").stdout

    assert EVERY_CAPABILITY_GONE in status
    assert "NoNewPrivs:\t1" in status
    assert "Seccomp:\t2" in status
    assert stack.execute(service, "id", "-u").stdout.strip() != "0"


@lasting_container
def test_a_process_cannot_write_to_its_image(stack: Stack, service: str) -> None:
    written = stack.execute(
        service, "sh", "-c", "echo x > /etc/planted || echo x > /usr/planted", check=False
    )

    assert written.returncode != 0


@pytest.mark.parametrize("service", ["ticketdesk", "orchestrator"])
def test_the_image_carries_no_tool_to_build_or_fetch(stack: Stack, service: str) -> None:
    found = stack.execute(service, "sh", "-c", "command -v gcc cc make curl wget git", check=False)

    assert found.stdout == ""


@every_container
def test_only_the_load_balancers_publish_a_port_and_on_loopback(stack: Stack, service: str) -> None:
    bindings = stack.inspect(service)["HostConfig"]["PortBindings"] or {}

    published = {"trainer-api": ("8000/tcp", stack.port), "agent-api": ("8080/tcp", stack.agent_port)}
    expected = {
        inside: [{"HostIp": "127.0.0.1", "HostPort": str(port)}]
        for name, (inside, port) in published.items()
        if name == service
    }
    assert bindings == expected


def test_every_network_but_the_published_one_is_internal(stack: Stack) -> None:
    names = {zone: f"{stack.project}_{zone}" for zone in ("edge", "agents", "control", "svc", "data")}

    networks = {zone: docker_json("network", "inspect", name)[0] for zone, name in names.items()}

    assert {zone for zone, network in networks.items() if not network["Internal"]} == {"edge"}
    assert networks["edge"]["Options"]["com.docker.network.bridge.enable_ip_masquerade"] == "false"


@pytest.mark.parametrize("service", sorted(set(LASTING) - set(LOAD_BALANCERS)))
def test_a_container_inside_has_no_way_out(stack: Stack, service: str) -> None:
    routes = stack.execute(service, "cat", "/proc/net/route").stdout.splitlines()[1:]

    assert routes
    assert [route for route in routes if route.split()[1] == "00000000"] == []


def test_a_trainer_in_a_container_reaches_the_trainer_api_and_no_service(stack: Stack) -> None:
    image = stack.inspect("orchestrator")["Config"]["Image"]
    program = (
        "import urllib.request as web\n"
        "print(web.urlopen('http://trainer-api:8000/ready').status)\n"
        "web.urlopen('http://ticketdesk:8001/ready', timeout=2)"
    )

    trainer = docker(
        "run", "--rm", "--network", f"{stack.project}_control", "--entrypoint", "python", image, "-c", program
    )

    assert trainer.stdout.strip() == "200"
    assert "urlopen error" in trainer.stderr


@pytest.mark.parametrize("service", PROCESSES)
def test_a_process_runs_compiled_code(stack: Stack, service: str) -> None:
    program = "import companyos, pathlib; print(pathlib.Path(companyos.__cached__).is_file())"

    assert stack.python(service, program).stdout.strip() == "True"
