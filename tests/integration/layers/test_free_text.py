"""Every text that an agent can write is stored, looked for or refused: none makes a service fail."""

import asyncio
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from . import all_tools
from .paired_worlds import CompanyServices, Tool, opened, request_of
from .tour_company import START, company

#: What parsers of queries, patterns, JSON and SQL treat in a way of its own.
SYNTAX = "-_'\"!&|()<>:*\\%.,;?+[]{}~^$#@=/ \t\n\r\0"
WORDS = (
    "or",
    "OR",
    "and",
    "not",
    "-",
    '"',
    "call-back",
    "call_back",
    "the",
    "status:new",
    "id:TD-1,",
    "%s",
    "(?i)",
)
TEXTS = st.one_of(
    st.text(SYNTAX, min_size=1, max_size=80),
    st.text(min_size=1, max_size=120),
    st.text("\U0001f600\U00020000\U0010ffff\ue000\u202e\u0301\ufeff\ufffe aZ-", min_size=1, max_size=60),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join),
    st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=5), st.integers(10, 1_500)),
)


def text_arguments(tool: Tool) -> Iterator[tuple[str, bool]]:
    """Yield the arguments of a tool that take any text, and whether as a list; headers hold no text."""
    for name, schema in tool["parameters"]["properties"].items():
        for variant in schema.get("anyOf", [schema]):
            item = variant.get("items", variant)
            if tool["places"][name] != "header" and item.get("type") == "string" and "enum" not in item:
                yield name, "items" in variant


def spoken(tools: dict[str, Tool], text: str) -> Iterator[tuple[Tool, dict[str, Any]]]:
    """Yield a call of every tool for each argument that takes any text."""
    stops = {stop[0]: stop[1] for stop in all_tools.TOUR if not isinstance(stop, int)}
    for name, tool in tools.items():
        for argument, in_list in text_arguments(tool):
            yield tool, {"letter_id": "1", **stops[name], argument: [text] if in_list else text}


async def test_services_answer_every_text(services: CompanyServices) -> None:
    pair = await opened(services, company(), now=START)
    worlds, tools = pair.layered.company.worlds, services.tools()
    loop = asyncio.get_running_loop()

    async def check(text: str) -> None:
        for tool, arguments in spoken(tools, text):
            world = worlds[tool["service"]].acting("alex.agent", "analyst")
            request = request_of(
                tool, {name: arguments[name] for name in arguments if name in tool["places"]}
            )
            request["headers"] |= world.headers()
            answer = await world.desk.client.request(**request)
            assert answer.status_code < 500, (tool["name"], arguments, answer.text)

    @settings(max_examples=6, suppress_health_check=list(HealthCheck))
    @given(TEXTS)
    @example("-" * 33)
    @example("- " * 40 + "a")
    @example('"' * 99)
    @example("\0")
    def every_call_is_answered(text: str) -> None:
        asyncio.run_coroutine_threadsafe(check(text), loop).result()

    assert len({tool["name"] for tool, _ in spoken(tools, "text")}) > 60
    await asyncio.to_thread(every_call_is_answered)
