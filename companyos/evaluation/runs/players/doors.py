"""The ways of a run into its episodes: typed calls, or the pages through a browser of text or of pictures."""

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final
from urllib.parse import urlencode, urljoin

import httpx

from companyos.client import Result
from companyos.client.model_output import action_of
from companyos.client.pages.actions import BrowserActionError
from companyos.client.pages.chromium import BrowserMissing
from companyos.client.pages.door import ABANDON, PageDoor, as_truncated, raised_step_limit
from companyos.client.pages.pixel_door import PixelDoor
from companyos.client.pages.text_browser import TextBrowser
from companyos.client.pages.text_door import TextDoor
from companyos.client.server import Server, access_headers

from ...agents.turn import AgentFailed
from ..connection import EpisodeEnv, TrainerConnection
from ..request import Door, RunRequest
from ..stops import RunRefused
from .scripted import SCRIPTED

#: Tools that only show something although they are posted.
_OWN_PAGES: Final = frozenset({"get_operation", "service_health"})
#: What the names of tools have that show something although they are posted, because to have read it is recorded.
_SHOWS: Final = re.compile("_(get|list|query|find)_")
#: Arguments that a form carries without showing them.
_CARRIED: Final = frozenset({"idempotency_key", "version"})

ToolDocument = Mapping[str, Any]


def environment_of(request: RunRequest, connection: TrainerConnection) -> EpisodeEnv:
    """Return a client for one episode at a time, through the door that a run asks for."""
    match request.door:
        case Door.TEXT if request.agent.kind in SCRIPTED:
            return connection.environment(ScriptDoorEpisode)
        case Door.TEXT:
            return connection.environment(TextDoorEpisode)
        case Door.SCREENSHOT:
            return connection.environment(PixelDoorEpisode)
    return connection.environment()


class _EpisodeInPages(EpisodeEnv):
    """An episode with more steps than for calls, unless its number of steps is given."""

    async def reset(self, /, **options: Any) -> Result:
        """Start an episode."""
        first = await super().reset(**options)
        if "max_steps" in options:
            return first
        return await super().reset(**options, max_steps=raised_step_limit(first))


class _DoorEpisode(_EpisodeInPages):
    """An episode in pages: its agent sees them and answers with actions of a browser."""

    OPENS: ClassVar[type[PageDoor]]
    _door: PageDoor | None = None

    async def reset(self, /, **options: Any) -> Result:
        """Start an episode and open its first page.

        Raises:
            RunRefused: The browser is not installed.
        """
        first = await super().reset(**options)
        try:
            self._door = await asyncio.to_thread(self.OPENS, first, self.agent_access)
        except BrowserMissing as missing:
            raise RunRefused(str(missing)) from missing
        return self._door.first()

    def action_of(self, output: Any) -> dict[str, Any]:
        """Return the action of the browser in an agent's output."""
        return super().action_of(output) if self._door is None else self._door.action_of(output)

    async def step(self, action: Any, *, timeout_s: float | None = None) -> Result:
        """Carry out an action, which may be no step."""
        if (door := self._door) is None:
            return await super().step(action, timeout_s=timeout_s)
        await asyncio.to_thread(door.act, action)
        result = None
        for record in await self.trace(after=door.step):
            result = await super().step(record["action"], timeout_s=timeout_s)
        if door.is_spent and not (result and result.done):
            return as_truncated(door.result(await super().step(ABANDON, timeout_s=timeout_s)))
        return door.result(result)

    async def close(self) -> None:
        """Close the browser, and the episode unless it is done."""
        if self._door is not None:
            await asyncio.to_thread(self._door.close)
        await super().close()


class TextDoorEpisode(_DoorEpisode):
    """An episode whose agent sees its pages as text."""

    OPENS = TextDoor


class PixelDoorEpisode(_DoorEpisode):
    """An episode whose agent sees pictures of its pages."""

    OPENS = PixelDoor


class ScriptDoorEpisode(_EpisodeInPages):
    """An episode in pages for an agent that calls tools: each of its calls is made by navigations and forms."""

    _browser: TextBrowser | None = None

    async def reset(self, /, **options: Any) -> Result:
        """Start an episode and open its first page."""
        first = await super().reset(**options)
        self._steps = first.observation["step"]
        url, token = self.agent_access["agent_urls"]["web"], self.agent_access["agent_token"]
        self._browser = TextBrowser(url, token)
        self._tools = await asyncio.to_thread(tools_at, url, token)
        return first

    async def step(self, action: Any, *, timeout_s: float | None = None) -> Result:
        """Make a call in pages, and return its result as without them.

        Raises:
            AgentFailed: No page or form makes this call.
        """
        call = action_of(action)
        name, browser = str(call.get("tool_name")), self._browser
        if browser is None or name not in self._tools:
            raise AgentFailed(f"no page makes the call {json.dumps(call)}")
        try:
            await asyncio.to_thread(make_call, browser, self._tools[name], call.get("arguments") or {})
        except BrowserActionError as failure:
            raise AgentFailed(f"no page makes the call {json.dumps(call)}: {failure}") from failure
        result = None
        for record in await self.trace(after=self._steps):
            result = await super().step(record["action"], timeout_s=timeout_s)
        if result is None:
            raise AgentFailed(f"the page of {name} made no call")
        self._steps = result.observation["step"]
        return result

    async def close(self) -> None:
        """Close the browser, and the episode unless it is done."""
        if self._browser is not None:
            self._browser.close()
        await super().close()


def tools_at(url: str, token: str) -> dict[str, ToolDocument]:
    """Return the agent's tools by name, as the agent API beside these pages lists them."""
    server = Server(url, access_headers(token))
    with server.proxy_named():
        listed = httpx.get(
            urljoin(url, "../tools"), headers=server.headers, timeout=server.timeout_s, **server.route_options
        )
    return {tool["name"]: tool for tool in listed.raise_for_status().json()["tools"]}


def make_call(browser: TextBrowser, tool: ToolDocument, arguments: Mapping[str, Any]) -> None:
    """Do by navigation and forms what a call with these arguments does.

    Raises:
        BrowserActionError: A field does not take its argument.
    """
    properties = tool["input_schema"]["properties"]
    texts = {
        name: argument_text(properties.get(name, {}), value)
        for name, value in arguments.items()
        if value is not None
    }
    if tool["method"] == "GET" or tool["name"] in _OWN_PAGES or _SHOWS.search(tool["name"]):
        browser.goto(f"{tool['name']}?{urlencode(texts)}")
        return
    addressed = {name for name in texts if tool["places"].get(name) == "path" or name in _CARRIED}
    browser.goto(f"{tool['name']}?{urlencode({name: texts[name] for name in sorted(addressed)})}")
    # The last form: that in the header may be of the same tool.
    form = [each.form for each in browser.elements if each.form and each.form.action == tool["name"]][-1]
    [*fields, button] = [number for number, each in enumerate(browser.elements) if each.form is form]
    for number in fields:
        element = browser.elements[number]
        if element.name in texts:
            choose = browser.select_option if element.tag == "select" else browser.fill
            choose(number, texts[element.name])
    browser.click(button)


def argument_text(schema: Mapping[str, Any], value: Any) -> str:
    """Return the text that means an argument in a form: itself if only text is expected, or else JSON."""
    variants = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    is_text = all(each.get("type", "string") == "string" or "enum" in each for each in variants)
    return value if isinstance(value, str) and is_text else json.dumps(value)
