"""Raw replies of the small model: recorded once, played ever after.

`python -m tests.integration.models.recording [NAME…]` records them anew, all of them or those named.

A recording is a file of JSON lines. The first says what was played; each other line is one response of the endpoint,
with its body as it was sent, and the action that was read from it, if any.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp import web

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.evaluation.models import OpenAISettings, openai_agent
from examples.small_model import NATIVE, TEXT, serving
from tests.scripted_endpoint import Scripted

from .episodes import play

FOLDER: Final = Path(__file__).parent / "recordings"
#: Few enough that tools and task have at most 2,000 tokens together.
FEW_TOOLS: Final = ("ticketdesk_get_ticket", "ticketdesk_update_ticket", "wait", "finish", "refuse")
_RESET: Final[Mapping[str, Any]] = {
    "scenario": "vendor_onboarding",
    "seed": 7,
    "chaos": 0,
    "tools": FEW_TOOLS,
    "max_steps": 5,
}


@dataclass(frozen=True)
class Recipe:
    """What is recorded: settings of the agent, options of the reset, and the context of the endpoint."""

    settings: Mapping[str, Any]
    reset: Mapping[str, Any] = field(default_factory=lambda: _RESET)
    context_tokens: int = 8192


_JSON: Final = {"model": TEXT, "tool_mode": "json", "max_tokens": 160, "seed": 7}
_TOOLS: Final = {"model": NATIVE, "tool_mode": "native", "max_tokens": 160, "seed": 7}
RECIPES: Final[Mapping[str, Recipe]] = {
    "text": Recipe({**_JSON, "temperature": 0}),
    "text-hot": Recipe({**_JSON, "temperature": 1.2}),
    # Whatever it says is JSON, for the endpoint allows nothing else.
    "text-forced": Recipe(
        {**_JSON, "temperature": 0.7, "extra_body": {"response_format": {"type": "json_object"}}}
    ),
    "native": Recipe({**_TOOLS, "temperature": 0}),
    "native-hot": Recipe({**_TOOLS, "temperature": 1.2}),
    "overflow": Recipe({**_JSON, "temperature": 0}, {**_RESET, "tools": "scenario"}, context_tokens=2048),
}


@dataclass(frozen=True)
class Recorded:
    """A recording, as it was made."""

    recipe: Recipe
    responses: Sequence[Scripted]
    actions: Sequence[Mapping[str, Any]]
    failure: str


def read(name: str) -> Recorded:
    """Return a recording."""
    first, *lines = map(json.loads, (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return Recorded(
        Recipe(first["settings"], first["reset"], first["context_tokens"]),
        [Scripted(line["body"].encode(), line["status"]) for line in lines],
        first["actions"],
        first["failure"],
    )


@asynccontextmanager
async def _proxy(target: str, kept: list[dict[str, Any]]) -> AsyncIterator[str]:
    """Pass requests on to an endpoint, and keep each response as it is."""

    async def passed_on(request: web.Request) -> web.Response:
        wait = aiohttp.ClientTimeout(total=600)
        async with aiohttp.ClientSession(timeout=wait) as session:
            body = await request.read()
            async with session.post(f"{target}{request.path}", data=body, headers=_JSON_HEADERS) as answer:
                kept.append({"status": answer.status, "body": (await answer.read()).decode()})
                return web.Response(
                    body=kept[-1]["body"].encode(), status=answer.status, content_type="application/json"
                )

    app = web.Application(client_max_size=16 * 2**20)
    app.router.add_post("/{path:.*}", passed_on)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


_JSON_HEADERS: Final = {"Content-Type": "application/json"}


async def record(name: str, url: str, endpoint: str) -> None:
    """Play a recipe with the real model and write the recording."""
    recipe, kept = RECIPES[name], list[dict[str, Any]]()
    async with _proxy(endpoint.removesuffix("/v1"), kept) as proxy:
        settings = {**recipe.settings, "base_url": f"{proxy}/v1", "max_retries": 0, "timeout_s": 600}
        agent = openai_agent(OpenAISettings(**settings))
        played = await play(url, agent, **recipe.reset)
        await agent.close()
    # The address of the proxy is of no interest.
    failure = played.failure.replace(proxy, "ENDPOINT")
    first = {
        "settings": recipe.settings,
        "reset": recipe.reset,
        "context_tokens": recipe.context_tokens,
        "actions": [turn.output for turn in played.turns],
        "failure": failure,
    }
    lines = [json.dumps(line, ensure_ascii=False) for line in (first, *kept)]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(name, len(kept), failure, [str(turn.output)[:150] for turn in played.turns], flush=True)


def main(names: Sequence[str]) -> None:
    with running_stack(Home.at(None)) as stack:
        for name in names or RECIPES:
            with serving(RECIPES[name].context_tokens) as endpoint:
                asyncio.run(record(name, stack.url, endpoint))


if __name__ == "__main__":
    main(sys.argv[1:])
