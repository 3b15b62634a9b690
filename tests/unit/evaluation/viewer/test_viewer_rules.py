"""The viewer's parts by their rules: rows over the steps of a trace, graphs of causes, lists and addresses."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.evaluation.runs import EpisodeEnding, EpisodeRecord
from companyos.evaluation.viewer import LiveStack, RunShelf, viewer_app
from companyos.evaluation.viewer.causes import NODE_HEIGHT, NODE_WIDTH, cause_graph
from companyos.evaluation.viewer.changes import RowHistory
from companyos.evaluation.viewer.episodes import live_outcome
from companyos.evaluation.viewer.lists import PAGE, EpisodeFilter, episode_rows
from companyos.evaluation.viewer.live import MOST_PAGES, StackSilent
from tests.unit.evaluation.report.samples import written
from tests.unit.evaluation.runs.samples import record
from tests.unit.evaluation.viewer.records import event, step, wrote

from ..scripted_trainer import ScriptedTrainer, problem

LAW = settings(max_examples=25)
VALUES: st.SearchStrategy[Any] = (
    st.none() | st.integers(0, 3) | st.sampled_from(["", "open", "closed"]) | st.just([])
)
ROWS = st.dictionaries(st.sampled_from(["status", "owner", "tags"]), VALUES, max_size=3)


@LAW
@given(st.lists(st.none() | ROWS, min_size=1, max_size=6))
def test_the_shown_changes_of_a_row_lead_from_each_state_to_the_next(
    states: list[dict[str, Any] | None],
) -> None:
    history, known = RowHistory(), dict[str, Any]()

    for number, state in enumerate(states):
        [change] = history.changes([wrote("desk", "tickets", "TD-1", state, "s1")])
        shown = {field.name: field.after for field in change.fields}

        assert change.is_known is (number > 0)
        assert change.is_removed is (state is None)
        for name, value in (state or {}).items():
            assert shown.get(name, known.get(name)) == value or value in (None, "", [])
        known = dict(state or {})


@LAW
@given(ROWS, ROWS)
def test_only_fields_that_differ_are_listed_of_a_known_row(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    history = RowHistory()
    history.changes([wrote("desk", "tickets", "TD-1", before, "s1")])

    [change] = history.changes([wrote("desk", "tickets", "TD-1", after, "s2")])

    assert all(field.before != field.after for field in change.fields)
    assert {field.name for field in change.fields} == {
        name for name, value in after.items() if before.get(name) != value
    }


@st.composite
def happenings(draw: st.DrawFn) -> dict[str, Any]:
    """A step of events that the call, the clock or one another caused, with rows that they wrote."""
    causes = ["s1", "s1.t5389260"]
    events = []
    for number in range(draw(st.integers(0, 6))):
        events.append(event(f"s1.desk.{number}", "ticket.changed", draw(st.sampled_from(causes))))
        causes.append(events[-1]["id"])
    changes = [
        wrote(
            draw(st.sampled_from(["desk", "hub"])),
            "tickets",
            f"TD-{number}",
            {},
            draw(st.sampled_from(causes)),
        )
        for number in range(draw(st.integers(0, 5)))
    ]
    return step(events=events, changes=changes)


@LAW
@given(happenings())
def test_every_event_has_one_box_and_no_two_boxes_overlap(told: dict[str, Any]) -> None:
    graph = cause_graph(1, "desk_look", told)

    assert sum(node.kind == "event" for node in graph.nodes) == len(told["events"])
    places = [(node.x, node.y) for node in graph.nodes]
    for number, (x, y) in enumerate(places):
        assert 0 <= x <= graph.width - NODE_WIDTH
        assert 0 <= y <= graph.height - NODE_HEIGHT
        for other_x, other_y in places[:number]:
            assert abs(x - other_x) >= NODE_WIDTH or abs(y - other_y) >= NODE_HEIGHT
    roots = sum(node.kind in ("call", "clock") for node in graph.nodes)
    assert len(graph.edges) == len(graph.nodes) - roots


@pytest.mark.parametrize(
    ("cause", "kind"),
    [("s3", "call"), ("s3.t17149332", "clock"), ("s2", "event"), ("s3.desk.1", "event"), ("s3.tx", "event")],
)
def test_a_cause_is_the_call_the_clock_or_an_earlier_event(cause: str, kind: str) -> None:
    told = step(3, changes=[wrote("desk", "tickets", "TD-1", {}, cause)])

    assert cause_graph(3, "desk_look", told).nodes[0].kind == kind


@pytest.mark.parametrize(
    ("changed", "word", "tone"),
    [
        ({}, "not solved", "bad"),
        ({"success": True}, "solved", "good"),
        ({"truncated": True}, "out of steps", "bad"),
        ({"done": False}, "in progress", "open"),
        ({"done": False, "success": True}, "in progress", "open"),
        ({"invalid": True, "success": True}, "environment failure", "void"),
    ],
    ids=str,
)
def test_an_episode_of_a_stack_has_the_first_outcome_that_applies(
    changed: dict[str, Any], word: str, tone: str
) -> None:
    summary = {"invalid": False, "done": True, "success": False, "truncated": False, **changed}

    outcome = live_outcome(summary)

    assert (outcome.word, outcome.tone) == (word, tone)


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ({}, 1),
        ({"page": "3"}, 3),
        ({"page": "0"}, 1),
        ({"page": "-1"}, 1),
        ({"page": "²"}, 1),
        ({"page": "99999999"}, 99_999_999),
        ({"page": "999999999"}, 1),
        ({"page": "9" * 5000}, 1),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_page_is_a_number_that_can_be(query: Mapping[str, str], page: int) -> None:
    assert EpisodeFilter.of(query).page == page


@pytest.mark.parametrize(
    ("count", "pages", "last"), [(0, 1, 0), (1, 1, 1), (PAGE, 1, PAGE), (PAGE + 1, 2, 1)]
)
def test_pages_hold_so_many_episodes_and_the_last_the_rest(
    tmp_path: Any, count: int, pages: int, last: int
) -> None:
    run = written(tmp_path / "run", [record(seed) for seed in range(count)])

    found = episode_rows("run", run, EpisodeFilter(page=pages))

    assert (found.total, found.pages, len(found.rows)) == (count, pages, last)


RECORDS: list[EpisodeRecord] = [
    record(0, success=True),
    record(1, chaos=3),
    record(2, scenario="two", ended=EpisodeEnding.ENVIRONMENT_FAILURE),
]


@pytest.mark.parametrize(
    ("wanted", "seeds"),
    [
        (EpisodeFilter(), [0, 1, 2]),
        (EpisodeFilter(scenario="two"), [2]),
        (EpisodeFilter(chaos="3"), [1]),
        (EpisodeFilter(outcome="solved"), [0]),
        (EpisodeFilter(outcome="failed"), [1]),
        (EpisodeFilter(outcome="environment failure"), [2]),
        (EpisodeFilter(scenario="one", outcome="failed", chaos="0"), []),
        (EpisodeFilter(outcome="nonsense"), []),
    ],
    ids=str,
)
def test_a_filter_admits_what_meets_every_part_of_it(wanted: EpisodeFilter, seeds: list[int]) -> None:
    assert [one.seed for one in RECORDS if wanted.admits(one)] == seeds


async def test_a_stack_is_listed_newest_first_over_so_many_pages(trainer: ScriptedTrainer) -> None:
    pages = iter(range(100))

    def paged(method: str, path: str, body: Any) -> web.Response:
        number = next(pages)
        return web.json_response({"items": [{"n": number}], "next_cursor": f"c{number}"})

    trainer.interferes = paged
    stack = LiveStack(trainer.url)

    found = await stack.episodes()
    await stack.close()

    assert [one["n"] for one in found] == list(reversed(range(MOST_PAGES)))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda: problem(401, "token"), "answered with 401. Give its token with --token."),
        (lambda: problem(500, "oops"), "answered with 500."),
        (lambda: web.Response(text="<html>"), "does not answer: JSONDecodeError."),
    ],
    ids=["token", "failure", "another server"],
)
async def test_a_stack_that_does_not_answer_as_one_is_told(
    trainer: ScriptedTrainer, answer: Any, told: str
) -> None:
    trainer.interferes = lambda method, path, body: answer()
    stack = LiveStack(f"{trainer.url}/")

    with pytest.raises(StackSilent) as silent:
        await stack.summary("e1")
    await stack.close()

    assert str(silent.value) == f"The stack at {trainer.url} {told}"


@pytest.mark.parametrize("asked", ["1", "-1", "first", "²", "9" * 5000], ids=lambda value: value[:9])
async def test_a_step_that_a_live_episode_does_not_have_is_a_page_that_says_so(
    trainer: ScriptedTrainer, tmp_path: Any, asked: str
) -> None:
    def answered(method: str, path: str, body: Any) -> web.Response:
        head = {"step": 0, "observation": {"text": "The task."}, "faults": []}
        card: dict[str, Any] = {
            **dict.fromkeys(("version", "seed", "chaos", "max_steps"), 1),
            **dict.fromkeys(("success", "invalid", "done", "truncated", "terminated"), False),
            **{name: [] for name in ("musts", "forbidden", "orders", "milestones", "violations")},
            "collateral": [],
            "duplicates": [],
            "episode_id": "e1",
            "scenario": "doors",
            "episode_return": 0.0,
            "invalid_reason": None,
            "feasible": True,
            "trace_hash": "",
        }
        return web.json_response(card if path.endswith("/grade") else [head])

    trainer.interferes = answered
    written(tmp_path / "run", [])
    stack = LiveStack(trainer.url)
    transport = httpx.ASGITransport(viewer_app(RunShelf([tmp_path]), stack))

    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8010") as client:
        whole = await client.get("/live/episode", params={"id": "e1"})
        missing = await client.get("/live/episode", params={"id": "e1", "step": asked})
    await stack.close()

    assert (whole.status_code, missing.status_code) == (200, 404)
