"""The viewer's pages over its own interface: what they answer, what they refuse, and that all text is text."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from companyos.evaluation.pages import templates
from companyos.evaluation.runs import EpisodeRecord, PredicateKind, PredicateResult, RunFolder
from companyos.evaluation.viewer import LiveStack, RunShelf, viewer_app
from companyos.evaluation.viewer.episodes import EpisodeOutcome, EpisodeView, live_episode
from tests.unit.evaluation.report.samples import mixed, request, written
from tests.unit.evaluation.report.test_page import PageOutline
from tests.unit.evaluation.runs.samples import record

from .records import event, step, wrote
from .test_episodes import CARD, HEAD

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
Viewing = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@asynccontextmanager
async def viewing(*folders: Path, stack: LiveStack | None = None) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(viewer_app(RunShelf(folders), stack))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8010") as client:
        yield client


def hostile_trace() -> list[dict[str, Any]]:
    head: dict[str, Any] = {
        "step": 0,
        "observation": {"text": HOSTILE},
        "faults": [
            {"fault": HOSTILE, "where": [HOSTILE], "landed_at": 1, "detected_at": None, "overcome_at": 99}
        ],
    }
    seen = {
        "text": HOSTILE * 2,
        "error": {"code": HOSTILE, "message": "x"},
        "sim_now": HOSTILE,
        "elapsed_s": 60,
    }
    first = step(
        action={
            "type": "call_tool",
            "tool_name": HOSTILE,
            "arguments": {HOSTILE: HOSTILE, "deep": {"a": [HOSTILE]}},
        },
        observation=seen,
        ledger=[{"name": HOSTILE, "amount": 1.0, "evidence": [HOSTILE]}],
        events=[event("s1.ticketdesk.1", HOSTILE, "s1")],
        changes=[wrote("ticketdesk", HOSTILE, HOSTILE, {HOSTILE: HOSTILE}, "s1", HOSTILE)],
        faults=[{"fault": HOSTILE, "where": [HOSTILE], "state": HOSTILE, "by": HOSTILE}],
        violation=HOSTILE,
        outcome=HOSTILE,
    )
    second = step(2, action={"type": "invalid", "raw": HOSTILE})
    return [head, first, second]


def hostile(folder: Path) -> EpisodeRecord:
    """Write a run whose every text is an attack on the page."""
    told = record(
        0,
        scenario="one",
        agent_error=HOSTILE,
        predicates=(PredicateResult(HOSTILE, PredicateKind.MUST, False, HOSTILE),),
    )
    said = {"source": "agent", "message": HOSTILE, "reasoning_content": HOSTILE}
    trace = b"\n".join(map(orjson.dumps, hostile_trace())).decode()
    with RunFolder.open(
        folder, request(), {"name": HOSTILE, "started_at": HOSTILE, "argv": [HOSTILE]}
    ) as run:
        run.keep(told, {"steps": [said, said]}, trace)
    return told


async def test_every_page_of_a_run_answers(tmp_path: Path) -> None:
    told = hostile(tmp_path / "run")

    async with viewing(tmp_path / "run") as client:
        for path in ("/", "/runs/run", f"/runs/run/{told.key}", f"/runs/run/{told.key}/1", "/report?run=run"):
            answer = await client.get(path)
            assert (path, answer.status_code) == (path, 200)
            assert answer.headers["content-type"].startswith("text/html")


async def test_a_report_in_the_viewer_leads_to_each_failed_episode(tmp_path: Path) -> None:
    written(tmp_path / "run", mixed())

    async with viewing(tmp_path / "run") as client:
        page = (await client.get("/report?run=run")).text
        link = '<a href="/runs/run/one-c3-s1-r0">'
        assert link in page
        assert (await client.get("/runs/run/one-c3-s1-r0")).status_code == 200


async def test_a_brief_comes_first_and_what_is_not_yet_decided_is_open() -> None:
    episode = live_episode(CARD, [HEAD, step(1)])

    page = rendered("episode.html", episode)
    done = rendered("episode.html", replace(episode, outcome=EpisodeOutcome("not solved", "bad")))

    assert page.index("What the agent was told") < page.index("What was checked")
    assert (page.count(">open</span>"), "does not hold" in page, "did not happen" in page) == (
        3,
        False,
        False,
    )
    assert (done.count(">open</span>"), "✗ does not hold" in done, "✓ did not happen" in done) == (
        0,
        True,
        True,
    )


def rendered(template: str, episode: EpisodeView) -> str:
    shared: dict[str, Any] = {"links": {0: "/", 1: "/1"}, "up": "/", "list_name": "", "services": {}}
    page = templates("companyos.evaluation.viewer").get_template(template)
    return page.render(episode=episode, number=0, last=1, watch="", **shared)


async def test_text_of_agents_and_runs_is_escaped(tmp_path: Path) -> None:
    told = hostile(tmp_path / "run")
    place = f"/runs/run/{told.key}"

    async with viewing(tmp_path / "run") as client:
        for path in ("/", "/runs/run", place, f"{place}/1", f"{place}/2", "/runs/run?scenario=%3Cscript%3E"):
            outline = PageOutline((await client.get(path)).text)
            assert outline.tags.count("script") == 1, path
            assert "img" not in outline.tags


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/runs/another",
        "/runs/run/one-c9-s9-r9",
        "/runs/run/one-c0-s0-r0/99",
        "/runs/run/one-c0-s0-r0/-1",
        "/runs/run/..%2F..%2Frun.json",
        "/runs/..%2F..",
        "/live",
        "/live/count?id=x",
        "/report",
        "/report?run=another",
    ],
)
async def test_unknown_pages_are_not_found_and_say_so(tmp_path: Path, path: str) -> None:
    written(tmp_path / "run", mixed())

    async with viewing(tmp_path / "run") as client:
        answer = await client.get(path)

    assert answer.status_code == 404
    if answer.headers["content-type"].startswith("text/html"):
        assert "<h1>Not found</h1>" in answer.text


async def test_pages_may_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    written(tmp_path / "run", mixed())

    async with viewing(tmp_path / "run") as client:
        for path in ("/", "/runs/run", "/style.css", "/keys.js", "/icon.svg", "/nothing"):
            answer = await client.get(path)
            assert answer.headers["content-security-policy"].startswith("default-src 'self';"), path
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "http" not in answer.text.replace("http://www.w3.org/2000/svg", ""), path


async def test_a_page_elsewhere_that_resolves_to_this_machine_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "run", mixed())

    async with viewing(tmp_path / "run") as client:
        answer = await client.get("/", headers={"Host": "evil.example"})

    assert answer.status_code == 400


async def test_the_viewer_only_reads(tmp_path: Path) -> None:
    written(tmp_path / "run", mixed())

    async with viewing(tmp_path / "run") as client:
        refused = [
            (await client.request(method, "/")).status_code for method in ("POST", "PUT", "DELETE", "PATCH")
        ]

    assert refused == [405] * 4


async def test_episodes_are_filtered_by_the_address(tmp_path: Path) -> None:
    written(tmp_path / "run", mixed())

    async with viewing(tmp_path / "run") as client:
        shown = (await client.get("/runs/run?scenario=one&chaos=3&outcome=failed")).text
        none = (await client.get("/runs/run?scenario=nowhere")).text

    assert "/runs/run/one-c3-s1-r0" in shown
    assert "/runs/run/one-c3-s0-r0" not in shown
    assert "No episode is like that." in none


async def test_a_stack_that_does_not_answer_is_told(tmp_path: Path) -> None:
    written(tmp_path / "run", mixed())

    async with viewing(tmp_path / "run", stack=LiveStack("http://127.0.0.1:9")) as client:
        answer = await client.get("/live")

    assert answer.status_code == 502
    assert "The stack at http://127.0.0.1:9 does not answer: ConnectError." in answer.text


async def test_an_unfinished_run_has_no_report_yet(tmp_path: Path) -> None:
    written(tmp_path / "run", [])

    async with viewing(tmp_path / "run") as client:
        assert (await client.get("/runs/run")).status_code == 200
        assert (await client.get("/report?run=run")).status_code == 404
