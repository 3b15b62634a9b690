"""Pydantic models of the responses that trainers read: episodes, grade cards, snapshots, scenarios, tools and tasks.

They document the responses in the OpenAPI document and in the reference; responses are not validated.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from .models import EpisodeState


class EpisodeSummary(EpisodeState):
    """An episode with its options and its outcome so far."""

    chaos_name: str | None = Field(description="Name of the chaos in force.")
    version: int = Field(description="Version of the scenario.")
    seed: int
    faults: dict[str, int] = Field(description="Numbers of faults by state.")
    size: int | str = Field(description="Size of the company.")
    rewards: str = Field(description="The reward profile.")
    reward_mode: str
    guidance: str
    tools_format: str | None = Field(None, description="Absent for the default.")
    observation_format: str | None = Field(None, description="Absent for the default.")
    episode_return: float = Field(description="Sum of the rewards paid so far.")
    success: bool | None = Field(description="Null while the episode is open.")
    terminated: bool = Field(description="Whether the agent ended it.")
    truncated: bool = Field(description="Whether the step limit or a failure ended it.")
    invalid: bool = Field(description="Whether the stack failed, so that it must not be scored.")
    invalid_reason: str | None
    trace_hash: str = Field(description="Hash of the newest record, chained to all before it.")
    origin: Any = Field(description="The snapshot or episode it continues, or null.")


class RewardEntry(BaseModel):
    """An entry of a step's reward."""

    name: str
    amount: float
    evidence: list[Any] = Field(description="The rows, or the reason, that it rests on.")


class EpisodeMetadata(BaseModel):
    """What the metadata of resets and steps have in common; none of it is for agents."""

    episode_id: str
    chaos: int = Field(description="Level of the chaos in force.")
    chaos_name: str
    trace_hash: str = Field(description="Hash of the newest record, chained to all before it.")


class AgentUrls(BaseModel):
    """The addresses of the agent API."""

    rest: str
    mcp: str
    task: str
    tools: str
    web: str


class AgentAccess(BaseModel):
    """What an agent needs to play an episode itself."""

    agent_token: str = Field(description="Gives an agent access to this episode, and to nothing else.")
    agent_urls: AgentUrls


class ResetMetadata(EpisodeMetadata, AgentAccess):
    """The `metadata` of a reset."""

    episode_uid: str = Field(description="Tells it from earlier and later episodes of its id.")
    scenario: str
    version: int
    seed: int
    max_steps: int
    ignored: list[str] = Field(description="Unknown fields of the request.")
    snapshot_id: str | None = Field(None, description="The snapshot it continues from, if any.")


class StepMetadata(EpisodeMetadata):
    """The `metadata` of a step."""

    episode_return: float = Field(description="Sum of the rewards paid so far.")
    success: bool | None = Field(description="Null while the episode is open.")
    reward_breakdown: list[RewardEntry] = Field(description="The entries that add up to the reward.")
    call_kind: str = Field(
        description="`done`, `refused`, `violation`, `bad_arguments`, `unknown_tool`, `no_call` or `failed`."
    )
    service: str | None = Field(description="The service that was called; null if none was.")
    terminated: bool = Field(description="Whether the agent ended the episode.")
    truncated: bool = Field(description="Whether the step limit or a failure ended it.")
    invalid: bool = Field(description="Whether the stack failed, so that it must not be scored.")
    invalid_reason: str | None = Field(None, description="Why, if it is invalid.")
    defects: list[dict[str, str]] | None = Field(
        None, description="Where healthy services failed on this step, if any did: service, reason."
    )


class EpisodePage(BaseModel):
    """A page of episodes."""

    items: list[EpisodeSummary]
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")
    counts: dict[str, int] = Field(description="Numbers of all episodes, whatever the filters.")


class GradeCard(EpisodeSummary):
    """Every predicate of an episode with its verdict and the rows that prove it."""

    feasible: bool = Field(description="Whether the task can be done at all.")
    finished: bool = Field(description="Whether the agent ended the episode.")
    musts: list[dict[str, Any]] = Field(description="What success requires: name, why, holds, rows.")
    forbidden: list[dict[str, Any]] = Field(
        description="What rules out success: name, why, harm, kept, broken_at, rows."
    )
    orders: list[dict[str, Any]] = Field(description="Required orders of events: name, kept, broken_at.")
    milestones: list[dict[str, Any]] = Field(description="Partial rewards: name, size, holds, rows.")
    answer: dict[str, Any] | None = Field(description="Answer asked for: wanted, given, right; or null.")
    sets: list[dict[str, Any]] = Field(description="Collections graded item by item.")
    collateral: list[str] = Field(
        description="Rows that the agent's own calls wrote outside of the task, with the columns."
    )
    allowances: list[dict[str, Any]] = Field(
        description="What explains its other writes: table, columns, harmless, writes by row."
    )
    duplicates: list[str] = Field(description="Names of forbidden facts that are duplicates.")
    violations: list[dict[str, Any]] = Field(description="Policy violations: step and code.")
    ledger: list[dict[str, Any]] = Field(
        description="Every entry of the reward: step, name, amount, evidence."
    )
    fault_account: list[dict[str, Any]] = Field(
        description="Each fault: fault, where, state, armed_at, landed_at, detected_at, overcome_at."
    )
    faults_not_offered: list[str] = Field(description="Requested faults that the scenario does not support.")


class AdviceDocument(BaseModel):
    """What the oracle would do next, proved on a copy of the world."""

    action: dict[str, Any] | None = Field(description="Its next call; null if it does not solve the task.")
    then: list[dict[str, Any]] = Field(description="Its calls after that one, to the end.")
    calls_left: int | None = Field(description="How many calls that is, the next one included.")
    why: str | None = Field(description="Why there is no call.")


class ValueDocument(BaseModel):
    """Whether the oracle solves the task, proved on a copy of the world."""

    solvable: bool
    calls_left: int | None = Field(description="Its calls to the end; null if it does not solve the task.")


class SnapshotDocument(BaseModel):
    """A snapshot."""

    snapshot_id: str
    name: str | None
    pinned: bool = Field(description="Whether it is kept even if it is unused.")
    episode_id: str | None = Field(description="The episode it was taken of; null if it was imported.")
    scenario: str
    version: int
    seed: int
    chaos: int = Field(description="Level of the chaos in force.")
    max_steps: int
    step_count: int
    sim_now: str
    layers: int = Field(description="Layers of its world's chain.")
    trace_hash: str


class SnapshotPage(BaseModel):
    """A page of snapshots."""

    items: list[SnapshotDocument]
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")


class ForkedEpisode(AgentAccess):
    """An episode that a fork opened."""

    episode_id: str


class ForkedEpisodes(BaseModel):
    """The episodes that a fork opened."""

    episodes: list[ForkedEpisode]


class ScenarioSummary(BaseModel):
    """A scenario as listed."""

    name: str
    version: int
    source: str = Field(description="Digest of its source code.")
    title: str
    summary: str
    splits: list[str]


class ScenarioCard(ScenarioSummary):
    """A scenario with its environment card."""

    readme: str = Field(description="The environment card, Markdown; empty if there is none.")


class ToolManifest(BaseModel):
    """The tools."""

    tools: list[dict[str, Any]] = Field(description="Every tool in OpenAI function format: type, function.")
    shared_arguments: dict[str, str] = Field(description="Meaning of the arguments that many tools share.")


class Task(BaseModel):
    """A task: one instance of a scenario, by its index in a split."""

    id: str
    split: str
    index: int
    scenario: str
    seed: int
    group: str = Field(description="The family of related tasks: the scenario.")
    difficulty: int = Field(
        description="The more, the harder: the most steps that the scenario's oracle needs at the default chaos."
    )


class TaskList(BaseModel):
    """The first tasks of a split."""

    tasks: list[Task]
    env_name: str
    num_tasks: int = Field(description="Number of tasks in the split, whether listed or not.")


class TaskCount(BaseModel):
    """The number of tasks in a split."""

    num_tasks: int


class TaskRange(BaseModel):
    """Consecutive tasks."""

    tasks: list[Task]


class OneTask(BaseModel):
    """One task."""

    task: Task
