"""Metrics of a stack with several processes of each kind, collected as Prometheus does."""

import json
import re

import httpx
import pytest
import yaml

from companyos import __version__
from companyos.sdk.stackpath import ROOT
from deploy.monitoring import make_dashboard
from tests.patience import PATIENCE_S
from tests.sizes import whole_proof

from .conftest import CELL, OPERATOR_TOKEN, CommandLine, wait_until

KINDS = ["ticketdesk", "datahub", "approvalflow", "orchestrator"]
REPLICAS = 2
RESETS = 12
MONITORING = ROOT / "deploy" / "monitoring"
#: What a rule or a panel asks for: the name of a series.
SERIES = re.compile(r"companyos_\w+")


def test_the_sums_over_the_processes_are_what_happened(pair: CommandLine) -> None:
    before = total(pair, "companyos_resets_total")
    for seed in range(RESETS):
        # A connection each, so that several replicas get some.
        httpx.post(f"{pair.status.url}/reset", json={"seed": seed % 2}, timeout=PATIENCE_S).raise_for_status()

    sums = {total(pair, "companyos_resets_total") for _ in range(5)}

    assert sums == {before + RESETS}


def test_every_orchestrator_tells_the_open_episodes_of_the_whole_stack(pair: CommandLine) -> None:
    httpx.post(f"{pair.status.url}/reset", json={"seed": 0}, timeout=PATIENCE_S).raise_for_status()
    counted = httpx.get(f"{pair.status.url}/cell", timeout=PATIENCE_S).json()["open_episodes"]

    wait_until(lambda: total(pair, "companyos_open_episodes") == REPLICAS * counted)

    assert counted >= 1
    assert total(pair, "companyos_max_episodes") == REPLICAS * 20_000
    assert total(pair, "companyos_drains_seconds") == 0


def test_every_process_is_a_target_under_its_own_name(pair: CommandLine) -> None:
    names = [name for kind in KINDS for name in (kind, f"{kind}-2")]

    found = json.loads(pair.home.targets_file.read_text())

    assert [target["labels"]["instance"] for target in found] == names
    assert pair.json("status")["metrics"] == {
        target["labels"]["instance"]: f"http://{target['targets'][0]}/metrics" for target in found
    }
    assert len({target["targets"][0] for target in found}) == len(KINDS) * REPLICAS
    assert {target["labels"]["cell"] for target in found} == {CELL}


def rules() -> list[str]:
    (group,) = yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"]
    return [rule["expr"] for rule in group["rules"]]


def panels() -> list[str]:
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_rules_and_panels_ask_for_metrics_that_are_there(pair: CommandLine) -> None:
    pages = "".join(page_of(pair, kind) for kind in KINDS)
    there = set(re.findall(r"^# TYPE (\w+)", pages, re.MULTILINE))

    asked = {name for expression in (*rules(), *panels()) for name in SERIES.findall(expression)}

    assert len(asked) >= 8
    assert {name.removesuffix("_bucket") for name in asked} <= there


def test_the_dashboard_is_the_one_that_its_program_writes() -> None:
    assert json.loads(make_dashboard.FILE.read_text()) == make_dashboard.dashboard()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_says_which_service_and_version_it_is_of_and_no_creation_times(
    pair: CommandLine, kind: str
) -> None:
    page = page_of(pair, f"{kind}-2")

    assert f'companyos_build_info{{service="{kind}",version="{__version__}"}} 1.0' in page
    assert "_created" not in page


@whole_proof
def test_spawned_processes_have_addresses_of_their_own_as_well(companyos: CommandLine) -> None:
    companyos("up", "--detach", "--spawn", COMPANYOS_OPERATOR_TOKEN=OPERATOR_TOKEN)

    for kind in KINDS:
        assert f'service="{kind}"' in page_of(companyos, kind)


def total(stack: CommandLine, metric: str) -> float:
    """Return the sum of a metric over all orchestrators and series."""
    pages = [page_of(stack, name) for name in stack.status.metrics if name.startswith("orchestrator")]
    lines = [line for page in pages for line in page.splitlines() if line.startswith(metric)]
    return sum(float(line.rpartition(" ")[2]) for line in lines)


def page_of(stack: CommandLine, name: str) -> str:
    """Return the metrics of one process."""
    headers = {"Authorization": f"Bearer {OPERATOR_TOKEN}"}
    answer = httpx.get(stack.status.metrics[name], headers=headers, timeout=PATIENCE_S)
    return answer.raise_for_status().text
