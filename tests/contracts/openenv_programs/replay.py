"""Replay a log of actions with each of OpenEnv's clients and print what came of it, as JSON by client.

Usage: replay.py URL LOG [CLIENT...]. One program for all, because importing OpenEnv takes longer than playing.
"""

import asyncio
import json
import sys
from pathlib import Path

import requests
from openenv.core import GenericEnvClient
from openenv.core.env_server.mcp_types import CallToolAction
from openenv.core.mcp_client import MCPToolClient


def turn(result):
    return {
        "observation": result.observation,
        "reward": result.reward,
        "done": result.done,
        "metadata": result.metadata,
    }


def play_sync(url, log):
    with GenericEnvClient(base_url=url) as env:
        turns = [turn(env.reset(**log["options"]))]
        turns += [turn(env.step(action)) for action in log["actions"]]
        return turns, env.state()


async def play_async(url, log):
    async with GenericEnvClient(base_url=url) as env:
        turns = [turn(await env.reset(**log["options"]))]
        turns += [turn(await env.step(action)) for action in log["actions"]]
        return turns, await env.state()


def play_http(url, log):
    with requests.Session() as session:
        turns = [session.post(f"{url}/reset", json=log["options"]).json()]
        episode_id = turns[0]["metadata"]["episode_id"]
        steps = [{"action": action, "episode_id": episode_id} for action in log["actions"]]
        turns += [session.post(f"{url}/step", json=step).json() for step in steps]
        return turns, session.get(f"{url}/state", params={"episode_id": episode_id}).json()


async def call(env, tool_name, arguments):
    if "name" not in arguments:
        return await env.call_tool(tool_name, **arguments)
    # `call_tool` takes the tool's own name as `name`; an argument of that name goes by way of a step.
    result = await env.step(CallToolAction(tool_name=tool_name, arguments=arguments))
    return result.observation.result


async def play_mcp(url, log):
    async with MCPToolClient(base_url=url) as env:
        await env.reset(**log["options"])
        known = {tool.name for tool in await env.list_tools()}
        results = []
        for action in log["actions"]:
            assert action["tool_name"] in known
            results.append(await call(env, action["tool_name"], action["arguments"]))
        state = await env.state()
        return results, {"episode_id": state.episode_id, "step_count": state.step_count}


def main(url, path, *ways):
    log = json.loads(Path(path).read_text())
    plays = {
        "sync": lambda: play_sync(url, log),
        "async": lambda: asyncio.run(play_async(url, log)),
        "http": lambda: play_http(url, log),
        "mcp": lambda: asyncio.run(play_mcp(url, log)),
    }
    outcomes = {way: plays[way]() for way in ways or plays}
    print(json.dumps({way: {"turns": turns, "state": state} for way, (turns, state) in outcomes.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
