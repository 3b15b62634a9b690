"""What adapters override takes what the frameworks publish; checked on the source, so that no framework is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from .environments import ROOT, requirements
from .programs.signatures import PUBLISHED

INTEGRATIONS = ROOT / "companyos" / "integrations"
REFERENCES = {reference: names for each in PUBLISHED.values() for reference, names in each.items()}
#: Each method of ours, and what it overrides.
OVERRIDES = {
    "gymnasium.GymEnv.reset": "gymnasium:Env.reset",
    "gymnasium.GymEnv.step": "gymnasium:Env.step",
    "text_space.TextSpace.sample": "gymnasium:Space.sample",
    "text_space.TextSpace.contains": "gymnasium:Space.contains",
    "gymnasium_vector.GymVectorEnv.reset": "gymnasium.vector:VectorEnv.reset",
    "gymnasium_vector.GymVectorEnv.step": "gymnasium.vector:VectorEnv.step",
    "harness.EpisodeSession.initial_messages": "openenv.core.harness:ResourceSession.initial_messages",
    "harness.EpisodeSession.list_tools": "openenv.core.harness:ResourceSession.list_tools",
    "harness.EpisodeSession.call_tool": "openenv.core.harness:ResourceSession.call_tool",
    "harness.EpisodeSession.verify": "openenv.core.harness:ResourceSession.verify",
    "harness.EpisodeSession.close": "openenv.core.harness:ResourceSession.close",
    "harness.SessionFactory.create": "openenv.core.harness:ResourceSessionFactory.create",
    "skyrl.SkyrlEnv.init": "skyrl_gym.envs.base_text_env:BaseTextEnv.init",
    "skyrl.SkyrlEnv.step": "skyrl_gym.envs.base_text_env:BaseTextEnv.step",
    "skyrl.SkyrlEnv.get_metrics": "skyrl_gym.envs.base_text_env:BaseTextEnv.get_metrics",
    "verifiers_tools.CompanyosTools.register": "verifiers.v1:Toolset.register",
    "verifiers.CompanyosTaskset.load": "verifiers.v1:Taskset.load",
}


def parameters_of(method: str) -> list[str]:
    """Return the names of a method's parameters, as its source has them."""
    module, owner, name = method.split(".")
    tree = ast.parse((INTEGRATIONS / f"{module}.py").read_text(encoding="utf-8"))
    (found,) = (
        node
        for each in tree.body
        if isinstance(each, ast.ClassDef) and each.name == owner
        for node in each.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    )
    return [argument.arg for argument in [*found.args.args, *found.args.kwonlyargs]]


@pytest.mark.parametrize("method", OVERRIDES)
def test_an_override_takes_what_is_published(method: str) -> None:
    assert parameters_of(method) == REFERENCES[OVERRIDES[method]]


def test_a_hook_of_verifiers_takes_only_what_verifiers_passes() -> None:
    # Hooks are called with those of their parameters that they name.
    assert set(parameters_of("verifiers.EpisodeTask.setup")) <= set(REFERENCES["verifiers.v1:Task.setup"])


@pytest.mark.parametrize(
    ("method", "published"),
    [
        ("rllib.Conversations.__call__", "ray.rllib.connectors.connector_v2:ConnectorV2.__call__"),
        ("rllib.Choices.__call__", "ray.rllib.connectors.connector_v2:ConnectorV2.__call__"),
        ("rllib.TextModule._forward", "ray.rllib.core.rl_module.rl_module:RLModule._forward"),
    ],
)
def test_a_piece_of_rllib_takes_only_what_rllib_passes(method: str, published: str) -> None:
    # RLlib may pass more, which a piece of ours takes and ignores.
    assert set(parameters_of(method)) <= set(REFERENCES[published])


@pytest.mark.parametrize("path", sorted(INTEGRATIONS.rglob("*.py")), ids=lambda path: path.stem)
def test_an_adapter_hands_on_the_headers_for_a_proxy(path: Path) -> None:
    clients = ("connect", "connect_async", "CompanyosEnv", "AsyncCompanyosEnv", "CompanyosBatch")
    calls = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in clients
    ]

    without = [
        call for call in calls if "header" not in "".join(map(ast.unparse, [*call.args, *call.keywords]))
    ]
    assert [ast.unparse(call) for call in without] == []


@pytest.mark.parametrize("extra", sorted({*PUBLISHED, "trl", "unsloth"}))
def test_an_adapter_has_an_extra_and_a_page_that_names_it(extra: str) -> None:
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "how-to").glob("*.md")]

    assert len(requirements(extra)) > 0
    assert any(f"pip install 'openenv-companyos[{extra}]'" in page for page in pages)


def test_an_extra_is_added_to_a_checkout_and_leaves_it_installed() -> None:
    # `make setup` has installed the library of `report`, so this asks no index.
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "openenv-companyos[report]"]

    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stderr
    assert "Requirement already satisfied: openenv-companyos[report]" in ran.stdout
    assert "Would install" not in ran.stdout


@pytest.mark.parametrize("folder", ["docs/how-to", "examples"])
def test_pages_add_no_extra_by_a_copy_of_the_checkout(folder: str) -> None:
    sources = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".md", ".py", ".ipynb")]

    copied = [path.name for path in sources if "'.[" in path.read_text(encoding="utf-8")]

    assert sources != []
    assert copied == (["install.md"] if folder == "docs/how-to" else [])
