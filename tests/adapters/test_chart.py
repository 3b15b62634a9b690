"""What the Helm chart promises, read off what Helm's library renders, which Kubernetes' schemas accept."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from companyos.cells.haproxy import configuration
from companyos.cells.names import CELL_NAME
from companyos.cli.app import app
from companyos.version import __version__
from tests.adapters.environments import interpreter_with

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy/helm/companyos"
KUBERNETES = ("1.31", "1.34", "1.37")
#: Kinds of Prometheus Operator, of which Kubernetes has no schemas.
OPERATORS_KINDS = {"ServiceMonitor", "PrometheusRule"}
DIGEST = f"sha256:{'0a' * 32}"
EVERYTHING = {
    "cells": 3,
    "image": {"repository": "registry.internal/companyos", "digest": DIGEST},
    "imagePullSecrets": [{"name": "registry"}],
    "settings": {"COMPANYOS_MAX_EPISODES": "500"},
    "router": {"certificate": "routers-certificate"},
    "networkPolicy": {"operators": [{"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}]},
    "monitoring": {"serviceMonitor": True, "prometheusRule": True, "dashboard": True, "labels": {"a": "b"}},
    "autoscaling": {"enabled": True},
    "nodeSelector": {"pool": "cells"},
    "tolerations": [{"key": "cells", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
}
SETS = {"default": {}, "everything": EVERYTHING, "own secret": {"secrets": {"existing": "tokens"}}}

Document = dict[str, Any]


@cache
def module(name: str) -> Any:
    """Import a module of the environment that has Helm's own library and the schemas of Kubernetes."""
    folder = subprocess.run(
        [interpreter_with("chart"), "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    if folder not in sys.path:
        sys.path.append(folder)
    return pytest.importorskip(name, reason="no wheel of Helm's library for this machine")


@cache
def chart() -> Any:
    return module("helm_python").Chart.load(CHART)


def rendered(values: Document | None = None, name: str = "companyos") -> list[Document]:
    files = chart().render(values or {}, name=name, namespace="rollouts")
    texts = [text for path, text in files.items() if path.endswith(".yaml")]
    return [document for text in texts for document in yaml.safe_load_all(text) if document]


def the(documents: list[Document], kind: str, name: str) -> Document:
    [found] = [one for one in documents if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return found


def pods(documents: list[Document]) -> dict[str, Document]:
    """Return the specification of each pod, by the name of what makes it."""
    makers = [one for one in documents if one["kind"] in ("StatefulSet", "Deployment")]
    return {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in makers}


def containers(documents: list[Document]) -> Iterator[Document]:
    for pod in pods(documents).values():
        yield from (*pod["containers"], *pod.get("initContainers", ()))


def cell_of(documents: list[Document]) -> Document:
    [found] = pods(documents)["companyos"]["containers"]
    return found


def policies(documents: list[Document]) -> dict[str, Document]:
    """Return the network policy of each component."""
    found = [one["spec"] for one in documents if one["kind"] == "NetworkPolicy"]
    return {one["podSelector"]["matchLabels"]["app.kubernetes.io/component"]: one for one in found}


def openings(policy: Document) -> set[tuple[str, int]]:
    """Return which components or roles may connect to which ports."""
    return {
        (labels.get("app.kubernetes.io/component") or labels["companyos.role"], port["port"])
        for rule in policy["ingress"]
        for peer in rule["from"]
        for labels in [peer["podSelector"]["matchLabels"]]
        for port in rule["ports"]
    }


def test_helm_finds_no_fault_in_the_chart() -> None:
    found = module("helm_python").lint(CHART)

    assert found["errors"] == []
    assert {message["error"] for message in found["messages"]} <= {"icon is recommended"}


def test_the_chart_has_the_version_of_its_image() -> None:
    about = yaml.safe_load((CHART / "Chart.yaml").read_text())

    assert (about["version"], about["appVersion"]) == (__version__, __version__)


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("values", SETS.values(), ids=list(SETS))
def test_kubernetes_accepts_every_document(values: Document, version: str) -> None:
    checked = [one for one in rendered(values) if one["kind"] not in OPERATORS_KINDS]

    accepted = [module("kubernetes_validate").validate(one, version, strict=True) for one in checked]

    assert len(accepted) >= 12
    assert set(accepted) == {version}


def test_the_schemas_refuse_a_misspelled_field() -> None:
    cells = the(rendered(), "StatefulSet", "companyos")
    cells["spec"]["template"]["spec"]["containers"][0]["livenessprobe"] = {}

    with pytest.raises(module("kubernetes_validate").ValidationError, match="livenessprobe"):
        module("kubernetes_validate").validate(cells, KUBERNETES[-1], strict=True)


@pytest.mark.parametrize("kind", ["trainer", "agent"])
def test_routers_get_what_the_command_writes_for_the_cells_as_they_are_named(kind: str) -> None:
    documents = rendered({"cells": 3})
    maker, service = the(documents, "StatefulSet", "companyos"), the(documents, "Service", "companyos-cells")
    [maker_of_configuration] = pods(documents)[f"companyos-{kind}-router"]["initContainers"]

    written = CliRunner().invoke(app, ["router", *maker_of_configuration["args"]])

    assert maker_of_configuration["command"][2] == 'companyos router "$@" >/etc/router/haproxy.cfg'
    names = [f"{maker['metadata']['name']}-{number}" for number in range(maker["spec"]["replicas"])]
    hosts = {name: f"{name}.{service['metadata']['name']}.rollouts.svc.cluster.local" for name in names}
    ports = {port["name"]: port["port"] for port in service["spec"]["ports"]}
    trainers = {name: f"http://{host}:{ports['trainer']}" for name, host in hosts.items()}
    agents = {name: f"http://{host}:{ports['agent']}" for name, host in hosts.items()}
    assert maker["spec"]["serviceName"] == service["metadata"]["name"]
    assert written.stdout == configuration(
        trainers, port=ports[kind], agents=agents if kind == "agent" else None, resolves=True
    )


def test_the_name_of_a_pod_is_the_name_of_its_cell_however_long_that_of_the_release_is() -> None:
    name = "r" * 53
    [cell] = pods(rendered(name=name))["r" * 26]["containers"]

    [given] = [one for one in cell["env"] if one["name"] == "COMPANYOS_CELL"]

    assert given["valueFrom"] == {"fieldRef": {"fieldPath": "metadata.name"}}
    assert re.fullmatch(CELL_NAME, f"{'r' * 26}-999")


def test_a_release_with_a_dot_is_refused_since_no_cell_can_be_called_so() -> None:
    with pytest.raises(module("helm_python").HelmError, match="names of cells have no dots"):
        rendered(name="companyos.test")


def test_a_cell_drains_before_it_is_terminated_and_has_the_time_for_it() -> None:
    documents = rendered({"drainSeconds": 900})

    stopping = cell_of(documents)["lifecycle"]["preStop"]["exec"]["command"]

    assert stopping == ["companyos", "drain", "--wait", "--seconds", "900"]
    assert pods(documents)["companyos"]["terminationGracePeriodSeconds"] == 960


def test_a_cell_is_waited_for_as_long_as_elsewhere_and_asked_for_what_its_probes_say() -> None:
    cell = cell_of(rendered())

    start = cell["startupProbe"]
    assert start["periodSeconds"] * start["failureThreshold"] == 600
    assert {cell[probe]["httpGet"]["path"] for probe in ("startupProbe", "readinessProbe")} == {"/ready"}
    assert cell["livenessProbe"]["httpGet"] == {"path": "/health", "port": "trainer"}
    assert {port["name"]: port["containerPort"] for port in cell["ports"]} == {
        "trainer": 8000,
        "agent": 8080,
    }


@pytest.mark.parametrize("values", SETS.values(), ids=list(SETS))
def test_containers_are_confined_and_their_needs_are_stated(values: Document) -> None:
    documents = rendered(values)

    for container in containers(documents):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"requests", "limits"} <= container["resources"].keys()
    for pod in pods(documents).values():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        # A service called companyos would set COMPANYOS_PORT.
        assert pod["enableServiceLinks"] is False


def test_secrets_reach_a_cell_as_files_and_no_environment_holds_one() -> None:
    documents = rendered({"secrets": {"keys": ["trainer_token", "salt"]}})
    made = the(documents, "Secret", "companyos-tokens")
    environment = [variable for one in containers(documents) for variable in one.get("env", ())]

    files = {one["name"]: one["value"] for one in environment if one["name"].endswith("_FILE")}

    assert files == {
        "COMPANYOS_TRAINER_TOKEN_FILE": "/run/companyos/trainer_token",
        "COMPANYOS_SALT_FILE": "/run/companyos/salt",
    }
    assert made["data"].keys() == {"trainer_token", "salt"}
    assert all(len(value) >= 43 for value in made["data"].values())
    assert "secretKeyRef" not in str(environment)
    assert not [value for value in made["data"].values() if value in str(pods(documents))]


def test_a_secret_of_ones_own_is_mounted_and_none_is_made() -> None:
    documents = rendered({"secrets": {"existing": "tokens"}})

    volumes = {volume["name"]: volume for volume in pods(documents)["companyos"]["volumes"]}
    assert volumes["secrets"]["secret"]["secretName"] == "tokens"
    assert [one for one in documents if one["kind"] == "Secret"] == []


def test_images_are_those_of_the_version_unless_a_digest_says_which() -> None:
    pinned = {"repository": "r.internal/companyos", "tag": "1", "digest": DIGEST}

    usual = {one["image"] for one in containers(rendered())}
    chosen = {one["image"] for one in containers(rendered({"image": pinned, "router": {"image": pinned}}))}

    assert usual == {f"companyos:{__version__}", f"companyos-load-balancer:{__version__}"}
    assert chosen == {f"r.internal/companyos@{DIGEST}"}


def test_agents_reach_their_router_and_trainers_alone_reach_the_trainer_api() -> None:
    found = policies(rendered())

    assert openings(found["agent-router"]) == {("agent", 8080)}
    assert openings(found["trainer-router"]) == {("trainer", 8000)}
    assert openings(found["cell"]) == {
        ("trainer", 8000),
        ("trainer-router", 8000),
        ("agent-router", 8000),
        ("agent-router", 8080),
    }


def test_every_pod_has_a_policy_and_nothing_leaves_a_cell() -> None:
    documents = rendered()
    found = policies(documents)

    labeled = [
        one["spec"]["template"]["metadata"]["labels"]
        for one in documents
        if "template" in one.get("spec", {})
    ]
    assert {labels["app.kubernetes.io/component"] for labels in labeled} == found.keys()
    assert {tuple(one["policyTypes"]) for one in found.values()} == {("Ingress", "Egress")}
    assert found["cell"]["egress"] == []


def test_routers_send_agents_to_where_the_cells_say() -> None:
    documents = rendered()
    [url] = [one["value"] for one in cell_of(documents)["env"] if one["name"] == "COMPANYOS_AGENT_URL"]

    service = the(documents, "Service", "companyos-agents")

    assert url == "http://companyos-agents.rollouts.svc:8080"
    assert service["spec"]["selector"]["app.kubernetes.io/component"] == "agent-router"
    assert [port["port"] for port in service["spec"]["ports"]] == [8080]


def test_a_certificate_makes_routers_take_tls_only() -> None:
    documents = rendered({"router": {"certificate": "ours"}})

    for name in ("companyos-trainer-router", "companyos-agent-router"):
        pod = pods(documents)[name]
        assert "--certificate=/etc/certificate/tls.pem" in pod["initContainers"][0]["args"]
        assert pod["containers"][0]["readinessProbe"]["httpGet"]["scheme"] == "HTTPS"
        [volume] = [volume["secret"] for volume in pod["volumes"] if volume["name"] == "certificate"]
        assert volume["secretName"] == "ours"
        assert {item["path"] for item in volume["items"]} == {"tls.pem", "tls.pem.key"}


def test_rules_and_dashboard_are_the_ones_of_every_deployment() -> None:
    documents = rendered(EVERYTHING)

    rule = the(documents, "PrometheusRule", "companyos")
    dashboard = the(documents, "ConfigMap", "companyos-dashboard")

    assert rule["spec"] == yaml.safe_load((ROOT / "deploy/monitoring/alerts.yml").read_text())
    assert dashboard["data"]["companyos.json"] == (ROOT / "deploy/monitoring/dashboard.json").read_text()
    assert not OPERATORS_KINDS & {one["kind"] for one in rendered()}


def test_collecting_metrics_needs_the_token_that_opens_them() -> None:
    values = {"monitoring": {"serviceMonitor": True}, "secrets": {"keys": ["trainer_token"]}}

    with pytest.raises(module("helm_python").HelmError, match="needs operator_token among secrets"):
        rendered(values)


def test_the_routers_know_every_cell_that_autoscaling_may_add() -> None:
    documents = rendered({"autoscaling": {"enabled": True, "maxCells": 5}})

    [command] = pods(documents)["companyos-trainer-router"]["initContainers"]
    scaler = the(documents, "HorizontalPodAutoscaler", "companyos")["spec"]
    assert [argument.partition("=")[0] for argument in command["args"][2:]] == [
        f"companyos-{number}" for number in range(5)
    ]
    assert scaler["maxReplicas"] == 5
    assert "replicas" not in the(documents, "StatefulSet", "companyos")["spec"]


@pytest.mark.parametrize(
    "values",
    [
        {"settings": {"COMPANYOS_TRAINER_TOKEN": "in the open"}},
        {"settings": {"COMPANYOS_OPEN_ACCESS": "true"}},
        {"secrets": {"keys": ["operator_token"]}},
        {"image": {"repository": "companyos", "tag": "latest"}},
        {"networkPolicy": {"agents": []}},
        {"networkPolicy": {"trainers": [{}]}},
        {"cels": 3},
    ],
    ids=lambda values: str(values),
)
def test_values_that_open_a_cell_or_mean_nothing_are_refused(values: Document) -> None:
    with pytest.raises(
        module("helm_python").HelmError, match="values don't meet the specifications of the schema"
    ):
        rendered(values)
