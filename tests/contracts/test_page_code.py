"""The code of pages runs as it stands, but for the addresses of stacks and the names of folders."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from companyos import CompanyosEnv
from companyos.chassis import PageLayout
from companyos.client import InvalidRequest
from companyos.embedded.home import Home
from companyos.sdk.company import Company, Pack, fill, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import from_iso
from tests.unit.evaluation.report.samples import mixed, written
from tests.unit.scenario.packs import PACKS

from .conftest import ELSEWHERE

ROOT: Final = Path(__file__).parents[2]
TESTS: Final = ROOT / "tests"
#: The tests that run the Python of each page.
RUN_BY: Final = {
    "README.md": "contracts/test_readme.py",
    "docs/explanation/worlds.md": "contracts/test_page_code.py",
    "docs/how-to/add-a-pack.md": "contracts/test_page_code.py",
    "docs/how-to/add-a-scenario.md": "scenarios/authoring/test_guide.py",
    "docs/how-to/call-tools.md": "contracts/test_page_code.py",
    "docs/how-to/connect-an-agent.md": "contracts/test_connect_an_agent.py",
    "docs/how-to/evaluate-with-inspect.md": "adapters/test_frameworks.py",
    "docs/how-to/evaluate-with-verifiers.md": "adapters/test_frameworks.py",
    "docs/how-to/grow-beyond-one-machine.md": "contracts/test_page_code.py",
    "docs/how-to/make-a-dataset.md": "adapters/test_frameworks.py",
    "docs/how-to/run-an-evaluation.md": "contracts/test_page_code.py",
    "docs/how-to/run-one-container.md": "e2e/one_image/test_page.py",
    "docs/how-to/train-with-nemo-gym.md": "adapters/test_frameworks.py",
    "docs/how-to/train-with-skyrl.md": "adapters/test_frameworks.py",
    "docs/how-to/train-with-trl.md": "adapters/test_frameworks.py",
    "docs/how-to/use-gymnasium.md": "adapters/test_frameworks.py",
    "docs/how-to/use-ray.md": "adapters/test_frameworks.py",
    "docs/how-to/use-the-pages.md": "contracts/test_page_code.py",
}


def python_of(page: str) -> list[str]:
    """Return the Python of a page, in order."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def run(block: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a block with these names, and return all names that there are then."""
    exec(compile(block, "page", "exec"), names)
    return names


def test_every_page_with_python_has_a_test_that_runs_it() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "scenarios").rglob("*.md")]
    in_python = {str(page.relative_to(ROOT)) for page in pages if "```python\n" in page.read_text("utf-8")}

    assert in_python == set(RUN_BY)
    assert [
        page
        for page, test in RUN_BY.items()
        if page.rpartition("/")[2] not in (TESTS / test).read_text("utf-8")
    ] == []


def test_the_code_about_worlds_saves_restores_and_forks(url: str, tmp_path: Path, monkeypatch: Any) -> None:
    saved, drill, advice, moved = python_of("docs/explanation/worlds.md")
    names: dict[str, Any] = {"CompanyosEnv": partial(CompanyosEnv, url)}
    monkeypatch.chdir(tmp_path)

    run(saved, names)
    assert (len(names["branches"]), names["later"].observation.step) == (8, 1)
    run(drill, names)
    assert names["first"].metadata.start["calls_left"] == 3
    run(advice, names)
    assert names["advice"].action is not None
    with CompanyosEnv(url) as env, CompanyosEnv(url) as other:
        run(moved, names | {"env": env, "other": other})
        assert len(other.trace()) == 2


def test_the_code_about_calls_shows_tools_and_steps(url: str) -> None:
    tools, signatures, step, _ = python_of("docs/how-to/call-tools.md")

    with CompanyosEnv(url) as env:
        names: dict[str, Any] = {
            "env": env,
            "model_output": '{"tool_name": "wait", "arguments": {"seconds": 60}}',
        }
        run(tools, names)
        assert {"name", "description", "input_schema"} <= names["tools"][0].keys()
        run(signatures, names)
        assert any(str(one).startswith("wait(") for one in names["signatures"])
        run(step, names)
        assert names["result"].observation.step == 1


def test_the_code_about_several_machines_connects_to_each(url: str) -> None:
    block, _ = python_of("docs/how-to/grow-beyond-one-machine.md")
    names = run(re.sub(r"http://10\.0\.0\.\d:8000", url, block), {"CompanyosEnv": CompanyosEnv})

    # The machines of the page are one here, which is refused once it is asked.
    with names["env"] as env, pytest.raises(InvalidRequest, match="COMPANYOS_CELL"):
        env.reset(scenario="vendor_onboarding", seed=7)


def test_the_code_about_evaluations_plays_and_reads_a_run(tmp_path: Path, capsys: Any) -> None:
    agent, reading, _ = python_of("docs/how-to/run-an-evaluation.md")
    folder = written(tmp_path / "run", mixed()).path

    played = run(agent, {})["act"]({})
    run(re.sub(r"runs/[\w-]+", str(folder), reading), {})

    assert played["tool_name"] == "finish"
    assert "one-c3-s1-r0 finished ['approved']" in capsys.readouterr().out


def test_the_code_about_pages_opens_and_browses_them(
    url: str, home: Home, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    if ELSEWHERE in os.environ:
        pytest.skip("the stack under test is another machine's")
    monkeypatch.setenv("COMPANYOS_HOME", str(home.path))
    opened, browsed, _, _, layout = python_of("docs/how-to/use-the-pages.md")

    names = run(browsed, run(opened, {}))
    names["env"].close()
    described = run(layout, {})["PAGES"]

    assert f"{url.rpartition(':')[0]}:" in capsys.readouterr().out
    assert all(isinstance(page, PageLayout) for page in described)


def test_the_code_about_packs_adds_to_a_company() -> None:
    first, second, rule = python_of("docs/how-to/add-a-pack.md")

    packs = [run(block, {})["PACK"] for block in (first, second)]
    company = Company(Draws("s", "test", 0), from_iso("2030-03-04T09:00:00Z"), (*PACKS, *packs), "small")
    fill(company, hire_cast(company, persona_role="analyst", team="Purchasing", original=False))
    run(rule, {"company": company})

    assert all(isinstance(pack, Pack) for pack in packs)
    assert {("Equipment", "equipment_keeper"), ("Claims", "accountant")} <= {*company.content.teams}
