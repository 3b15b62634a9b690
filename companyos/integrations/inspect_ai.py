"""Inspect: a task whose samples are episodes, with the tools as Inspect's own or over MCP, scored by the grade.

inspect eval companyos/companyos -T scenario=vendor_onboarding -T seeds=0-9 --model openai/gpt-5-mini
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from inspect_ai import Task, task
from inspect_ai.agent import AgentState, as_solver, react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolError, ToolParams, mcp_server_http

from companyos.client import AsyncCompanyosEnv

from .connection import EpisodeInvalid, connect_async

Via = Literal["tools", "mcp"]
#: The key of the episode's id in the store of a sample, and so in its log.
EPISODE: Final = "companyos_episode_id"
#: The clients of the samples in progress, by the sample's uuid; a store holds only what can be logged.
_clients: dict[str, AsyncCompanyosEnv] = {}


@task
def companyos(
    scenario: str = "vendor_onboarding",
    seeds: str | Sequence[int] = "0-9",
    chaos: int | str = 1,
    via: Via = "tools",
    base_url: str | None = None,
) -> Task:
    """Return the task of one scenario; each seed is a sample.

    Args:
        scenario: Name of the scenario.
        seeds: The seeds, or the first and the last as in `0-9`.
        chaos: A level (0-5) or the name of a preset.
        via: `tools` plays over the trainer API; `mcp` over the agent API, which the model's tools then speak to.
        base_url: URL of the trainer API; by default the stack on this machine, which is started if necessary.
    """
    rows = [{"scenario": scenario, "seed": seed, "chaos": chaos} for seed in _seeds(seeds)]
    return Task(
        dataset=[Sample(input=_name(row), id=_name(row), metadata=row) for row in rows],
        setup=start_episode(base_url),
        solver=play(via),
        scorer=grade(),
        cleanup=_close,
    )


@solver
def start_episode(base_url: str | None = None) -> Solver:
    """Return a solver that starts the episode its sample describes, and shows the model what it is to do."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        env = _clients[state.uuid] = await connect_async(base_url)
        result = await env.reset(**state.metadata)
        state.store.set(EPISODE, result.metadata.episode_id)
        state.metadata["reset"] = dict(result.metadata)
        state.metadata["tools"] = result.observation["tools"]
        state.user_prompt.text = result.observation.text
        return state

    return solve


@solver
def play(via: Via = "tools") -> Solver:
    """Return a solver that lets the model call tools until the episode is done or it calls no more."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        env = _clients[state.uuid]

        async def goes_on(_: AgentState) -> bool:
            return not (await env.state()).done

        tools = _over_mcp(state) if via == "mcp" else _as_tools(env, state)
        agent = react(prompt=None, tools=tools, submit=False, on_continue=goes_on)
        return await as_solver(agent)(state, generate)

    return solve


@scorer(metrics={"success": [mean(), stderr()], "episode_return": [mean(), stderr()]})
def grade() -> Scorer:
    """Return a scorer that reads the grade card: success from committed state, and the sum of the rewards."""

    async def score(state: TaskState, target: Target) -> Score:
        card = await _clients[state.uuid].grade()
        if card.invalid:
            raise EpisodeInvalid(f"the environment failed during this episode: {card.invalid_reason}")
        return Score(
            value={"success": float(bool(card.success)), "episode_return": card.episode_return},
            answer="finished" if card.finished else "not finished",
            explanation="; ".join(each["why"] for each in card.musts if not each["holds"]) or None,
            metadata={"grade": dict(card)},
        )

    return score


def _as_tools(env: AsyncCompanyosEnv, state: TaskState) -> list[Any]:
    """Return the tools of the episode as Inspect's, each of which plays a step."""

    def tool(shown: Any) -> Any:
        async def execute(**arguments: Any) -> str:
            given = {name: value for name, value in arguments.items() if value is not None}
            result = await env.call(shown["name"], **given)
            if result.observation.error is not None:
                raise ToolError(result.observation.text)
            return result.observation.text

        parameters = ToolParams.model_validate(
            {**_plain(shown["input_schema"]), "additionalProperties": False}
        )
        return ToolDef(execute, shown["name"], shown["description"], parameters, parallel=False, max_output=0).as_tool()

    return [tool(shown) for shown in state.metadata["tools"]]


def _over_mcp(state: TaskState) -> list[Any]:
    """Return the agent API's MCP server, for the token of this episode's agent."""
    reset = state.metadata["reset"]
    return [
        mcp_server_http(name="companyos", url=reset["agent_urls"]["mcp"], authorization=reset["agent_token"])
    ]


def _plain(schema: Any) -> dict[str, Any]:
    """Return a schema whose arguments all have the description that Inspect demands."""
    described = {
        name: {"description": name.replace("_", " "), **each} for name, each in schema["properties"].items()
    }
    return {"type": "object", "properties": described, "required": list(schema.get("required", ()))}


async def _close(state: TaskState) -> None:
    env = _clients.pop(state.uuid, None)
    if env is not None:
        await env.close()


def _name(row: dict[str, Any]) -> str:
    return f"{row['scenario']}-c{row['chaos']}-s{row['seed']}"


def _seeds(seeds: str | int | Sequence[int]) -> Sequence[int]:
    if isinstance(seeds, int):
        return [seeds]
    if isinstance(seeds, str):
        first, _, last = seeds.partition("-")
        return range(int(first), int(last or first) + 1)
    return seeds
