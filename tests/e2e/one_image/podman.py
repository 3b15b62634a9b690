"""Podman as an engine that plays pods of Kubernetes: what it lacks is taken off them, and named here."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

Document = dict[str, Any]
#: Podman publishes ports on the host, and asks health with a program that the image does not have.
NOT_PLAYED = ("ports", "startupProbe", "readinessProbe", "livenessProbe")


def podman(*arguments: str, text: str | None = None) -> str:
    """Run `podman` and return what it printed."""
    done = subprocess.run(["podman", *arguments], input=text, capture_output=True, text=True)
    assert done.returncode == 0, f"podman {arguments}\n{done.stdout}{done.stderr}"
    return done.stdout


def load(image: str) -> None:
    """Give Podman an image that Docker has."""
    with subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE) as saved:
        subprocess.run(["podman", "load", "--quiet"], stdin=saved.stdout, check=True, capture_output=True)
    assert saved.returncode == 0


def modest_configuration(file: Path) -> str:
    """Write a configuration of Podman with limits that any machine allows it to set, and return its path."""
    file.write_text('[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n')
    return str(file)


def pod_of(stateful_set: Document, number: int) -> Document:
    """Return the pod that a StatefulSet makes first, second, and so on, as Podman plays it."""
    pod = deepcopy(stateful_set["spec"]["template"])
    name = f"{stateful_set['metadata']['name']}-{number}"
    pod.update(apiVersion="v1", kind="Pod")
    pod["metadata"]["name"] = name
    renamed = {volume["name"]: f"{name}-{volume['name']}" for volume in pod["spec"]["volumes"]}
    for volume in pod["spec"]["volumes"]:
        volume["name"] = renamed[volume["name"]]
        if "secret" in volume:
            volume["secret"]["optional"] = False
    for container in pod["spec"]["containers"]:
        for field in NOT_PLAYED:
            container.pop(field, None)
        for mount in container["volumeMounts"]:
            mount["name"] = renamed[mount["name"]]
    return dict(pod)


@contextlib.contextmanager
def played(documents: list[Document]) -> Iterator[dict[str, str]]:
    """Play documents, yield the address of each pod, and remove everything that they made."""
    text = yaml.safe_dump_all(documents)
    try:
        podman("kube", "play", "-", text=text)
        names = [one["metadata"]["name"] for one in documents if one["kind"] == "Pod"]
        yield {name: _address(name) for name in names}
    finally:
        podman("kube", "down", "-", text=text)
        for secret in (one["metadata"]["name"] for one in documents if one["kind"] == "Secret"):
            podman("secret", "rm", secret)
            podman("volume", "rm", "--force", secret)


def _address(pod: str) -> str:
    infra = json.loads(podman("pod", "inspect", pod))["InfraContainerID"]
    [network] = json.loads(podman("inspect", infra))[0]["NetworkSettings"]["Networks"].values()
    return str(network["IPAddress"])
