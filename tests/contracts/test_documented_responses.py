"""Responses hold the fields that the reference of the trainer API documents, and no others."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from orchestrator.http.messages.models import EpisodeState, ObservationDocument, Problem, StepResponse
from orchestrator.http.messages.responses import (
    EpisodePage,
    EpisodeSummary,
    ForkedEpisodes,
    GradeCard,
    OneTask,
    ResetMetadata,
    ScenarioCard,
    ScenarioSummary,
    SnapshotDocument,
    SnapshotPage,
    StepMetadata,
    TaskCount,
    TaskList,
    TaskRange,
    ToolManifest,
)

from .trainer_calls import started, stepped

FINISH = {"tool_name": "finish", "arguments": {"answer": "nothing was done"}}
TASK = {"split": "train", "index": 0}


def undocumented(model: type[BaseModel], body: dict[str, Any]) -> set[str]:
    """Return the fields that a response lacks or has beside those of its model, whose types it must have."""
    model.model_validate(body)
    optional = {name for name, field in model.model_fields.items() if not field.is_required()}
    return set(body) - set(model.model_fields) | (set(model.model_fields) - set(body) - optional)


async def test_a_reset_and_a_step_hold_what_is_documented(http: httpx.AsyncClient) -> None:
    reset = (await http.post("/reset", json={"seed": 3})).json()
    step = (await stepped(http, reset["metadata"]["episode_id"], FINISH)).json()

    assert undocumented(StepResponse, reset) == undocumented(StepResponse, step) == set()
    assert undocumented(ResetMetadata, reset["metadata"]) == set()
    assert undocumented(StepMetadata, step["metadata"]) == set()
    assert undocumented(ObservationDocument, reset["observation"]) == set()


@pytest.mark.parametrize("ended", [False, True])
async def test_episode_responses_match_their_documented_models(
    http: httpx.AsyncClient, *, ended: bool
) -> None:
    episode_id = await started(http, chaos=3)
    if ended:
        await stepped(http, episode_id, FINISH)

    state = (await http.get("/state", params={"episode_id": episode_id})).json()
    episode = (await http.get(f"/episodes/{episode_id}")).json()
    listed = (await http.get("/episodes", params={"limit": 1})).json()
    grade = (await http.get(f"/episodes/{episode_id}/grade")).json()

    assert set(EpisodeState.model_fields) - set(state) == set()
    assert undocumented(EpisodeSummary, episode) == undocumented(EpisodePage, listed) == set()
    assert undocumented(GradeCard, grade) == set()


async def test_snapshots_restores_and_forks_are_documented(http: httpx.AsyncClient) -> None:
    episode_id = await started(http)
    taken = (await http.post(f"/episodes/{episode_id}/snapshots", json={"name": "documented"})).json()
    snapshot_id = taken["snapshot_id"]

    restored = await http.post(f"/episodes/{episode_id}/restore", json={"snapshot_id": snapshot_id})
    forked = (await http.post(f"/episodes/{episode_id}/fork", json={"count": 1})).json()
    page = (await http.get("/snapshots")).json()
    calmed = await http.put(f"/episodes/{episode_id}/chaos", json=0)
    continued = (await http.post("/reset", json={"snapshot": snapshot_id})).json()

    assert undocumented(SnapshotDocument, taken) == undocumented(SnapshotPage, page) == set()
    assert (
        undocumented(EpisodeSummary, restored.json()) == undocumented(EpisodeSummary, calmed.json()) == set()
    )
    assert undocumented(ForkedEpisodes, forked) == undocumented(ResetMetadata, continued["metadata"]) == set()


async def test_scenarios_tools_and_tasks_are_documented(http: httpx.AsyncClient) -> None:
    scenarios = (await http.get("/scenarios")).json()
    card = (await http.get("/scenarios/vendor_onboarding")).json()
    manifest = (await http.get("/manifest")).json()
    split = {"split": "train"}
    tasks = {
        model: (await http.post(f"/companyos/{name}", json=body)).json()
        for name, model, body in (
            ("tasks", TaskList, split),
            ("num_tasks", TaskCount, split),
            ("task", OneTask, TASK),
            ("task_range", TaskRange, {**split, "start": 0, "stop": 1}),
        )
    }

    assert undocumented(ScenarioSummary, scenarios[0]) == undocumented(ScenarioCard, card) == set()
    assert undocumented(ToolManifest, manifest) == set()
    assert [model for model, body in tasks.items() if undocumented(model, body)] == []


async def test_a_refusal_is_documented(http: httpx.AsyncClient) -> None:
    refused = (await http.get("/episodes/none")).json()

    assert set(Problem.model_fields) <= set(refused)
