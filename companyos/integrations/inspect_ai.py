"""Inspect: a task whose samples are episodes, with tools as Inspect tools or over MCP, scored by the grade.

inspect eval companyos/companyos -T scenario=vendor_onboarding -T seeds=0-9 --model openai/gpt-5-mini
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from inspect_ai import Task, task
from inspect_ai.agent import AgentState, as_solver, react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolError, mcp_server_http

from companyos.client import AsyncCompanyosEnv, Record, Result

from .connection import EpisodeInvalid, connect_async, reset_of
from .inspect_samples import TASK, name_of, scenarios_in, schema_of, seeds_in

Via = Literal["tools", "mcp"]
#: The key of the episode's id in the store of a sample, and so in its log.
EPISODE: Final = "companyos_episode_id"
#: The key of its grade card there, so that a log is scored again without the server.
GRADE: Final = "companyos_grade"
#: Client and first result of each sample in progress, by uuid. Not in the state, whose content is logged.
_episodes: dict[str, tuple[AsyncCompanyosEnv, Result]] = {}


@task(name=TASK)
def companyos(
    scenario: str | Sequence[str] = "vendor_onboarding",
    seeds: str | int | Sequence[str | int] = "0-9",
    chaos: int | str = 1,
    via: Via = "tools",
    base_url: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Task:
    """Return the task of one scenario or several; each seed of each is a sample.

    Args:
        scenario: Name of the scenario, several as in `bug_escalation,expense_report`, or a list.
        seeds: The seeds: one, several as in `7,9`, the first and the last as in `0-9`, or a list.
        chaos: A level (0-5) or the name of a preset.
        via: `tools` plays over the trainer API; `mcp` lets the model's tools call the agent API.
        base_url: URL of the trainer API; by default the stack on this machine, which is started if necessary.
        headers: Headers of every request, for a proxy in front of the server. Inspect logs them.
    """
    rows = [
        {"scenario": name, "seed": seed, "chaos": chaos}
        for name in scenarios_in(scenario)
        for seed in seeds_in(seeds)
    ]
    return Task(
        dataset=[Sample(input=name_of(row), id=name_of(row), metadata=row) for row in rows],
        setup=start_episode(base_url, headers),
        solver=play(via),
        scorer=grade(base_url, headers),
        cleanup=_close,
    )


@solver
def start_episode(base_url: str | None = None, headers: Mapping[str, str] | None = None) -> Solver:
    """Return a solver that starts the sample's episode and shows the task to the model."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        env = await connect_async(base_url, headers)
        result = await env.reset(**reset_of(state.metadata))
        _episodes[state.uuid] = env, result
        state.store.set(EPISODE, result.metadata.episode_id)
        state.user_prompt.text = result.observation.text
        return state

    return solve


@solver
def play(via: Via = "tools") -> Solver:
    """Return a solver that lets the model call tools until the episode is done or the model stops calling."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        env, first = _episodes[state.uuid]

        async def goes_on(_: AgentState) -> bool:
            return not (await env.state()).done

        tools = _over_mcp(first) if via == "mcp" else _as_tools(env, first)
        agent = react(prompt=None, tools=tools, submit=False, on_continue=goes_on)
        return await as_solver(agent)(state, generate)

    return solve


@scorer(metrics={"success": [mean(), stderr()], "episode_return": [mean(), stderr()]})
def grade(base_url: str | None = None, headers: Mapping[str, str] | None = None) -> Scorer:
    """Return a scorer that reads success and rewards from the log's grade card, or else from the server's."""

    async def score(state: TaskState, target: Target) -> Score:
        card = await _card(state, base_url, headers)
        if card.invalid:
            raise EpisodeInvalid(f"the environment failed during this episode: {card.invalid_reason}")
        return Score(
            value={"success": float(bool(card.success)), "episode_return": card.episode_return},
            answer="finished" if card.finished else "not finished",
            explanation="; ".join(each["why"] for each in card.musts if not each["holds"]) or None,
            metadata={"grade": dict(card)},
        )

    return score


async def _card(state: TaskState, base_url: str | None, headers: Mapping[str, str] | None) -> Record:
    if state.uuid in _episodes:
        state.store.set(GRADE, dict(await _episodes[state.uuid][0].grade()))
    elif state.store.get(GRADE) is None:
        async with await connect_async(base_url, headers) as env:
            return await env.grade(state.store.get(EPISODE))
    return Record(state.store.get(GRADE))


def _as_tools(env: AsyncCompanyosEnv, first: Result) -> list[Any]:
    """Return the episode's tools as Inspect tools, each of which plays a step."""

    def tool(shown: Any) -> Any:
        async def execute(**arguments: Any) -> str:
            given = {name: value for name, value in arguments.items() if value is not None}
            result = await env.call(shown["name"], **given)
            if result.observation.error is not None:
                raise ToolError(result.observation.text)
            return result.observation.text

        named, schema = (shown["name"], shown["description"]), schema_of(shown["input_schema"])
        return ToolDef(execute, *named, schema, parallel=False, max_output=0).as_tool()

    return [tool(shown) for shown in first.observation["tools"]]


def _over_mcp(first: Result) -> list[Any]:
    """Return the MCP server of the agent API, with the token of this episode's agent."""
    url, token = first.metadata.agent_urls["mcp"], first.metadata.agent_token
    return [mcp_server_http(name="companyos", url=url, authorization=token)]


async def _close(state: TaskState) -> None:
    if state.uuid in _episodes:
        await _episodes.pop(state.uuid)[0].close()
