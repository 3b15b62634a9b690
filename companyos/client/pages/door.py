"""A door of pages: an episode played through a browser of its pages, behind the methods of the client.

The agent sees pages and answers with actions of the browser. The steps are the calls that the pages make, and rewards,
grade and trace are theirs: the same calls without pages have the same trace hash.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, ClassVar, Final, Protocol

import httpx

from ..environment import CompanyosEnv
from ..errors import CompanyosError, NoEpisode, ServerUnreachable
from ..model_output import action_of
from ..records import Observation, Record, Result
from .actions import BrowserActionError, BrowserRestarted, PageLost, parse_action

#: The step limit in pages, over that of calls: some pages only lead to others.
STEPS_FACTOR: Final = 1.5
#: The most actions of the browser for each step of the limit: to fill in a field is an action and no step.
ACTIONS_PER_STEP: Final = 4
#: The action that ends an episode whose agent will not act again.
ABANDON: Final = {"type": "abandon"}


@dataclass(frozen=True)
class BrowserAction:
    """An action of a browser as a tool.

    Attributes:
        description: What it does.
        arguments: The schema of each argument.
    """

    description: str
    arguments: Mapping[str, Mapping[str, Any]]

    def tool(self, name: str) -> dict[str, Any]:
        """Return the action as an observation lists a tool."""
        return {
            "name": name,
            "description": self.description,
            "input_schema": {
                "type": "object",
                "properties": dict(self.arguments),
                "required": list(self.arguments),
                "additionalProperties": False,
            },
        }


#: The actions that every browser of pages has.
MOVES: Final[Mapping[str, BrowserAction]] = {
    "goto": BrowserAction(
        "Open a page by its address.",
        {"url": {"type": "string", "description": "The address, such as `ticketdesk_list_tickets`."}},
    ),
    "go_back": BrowserAction("Open the page before this one again.", {}),
    "noop": BrowserAction("Do nothing.", {}),
}


class PageBrowser(Protocol):
    """A browser of the pages of one episode."""

    url: str
    status: int

    @property
    def title(self) -> str: ...

    def perform(self, name: str, arguments: Sequence[Any]) -> None:
        """Carry out an action by its name."""

    def close(self) -> None:
        """Close the browser."""


class PageDoor(ABC):
    """The browser of one episode, and what its agent sees of it.

    Attributes:
        INSTRUCTIONS: What an agent is told before its first page.
        ACTIONS: The actions that it may answer with, by name.
        step: How many steps the agent has taken.

    Args:
        first: The result of the reset.
        access: The agent's token and addresses.
    """

    INSTRUCTIONS: ClassVar[str]
    ACTIONS: ClassVar[Mapping[str, BrowserAction]]

    def __init__(self, first: Result, access: Mapping[str, Any]) -> None:
        if not access:
            raise NoEpisode(
                409, "no_pages", "Pages need the agent's token, which the server shows at reset only."
            )
        self._url = access["agent_urls"]["web"]
        self._browser = self.open_browser(self._url, access["agent_token"])
        self._actions_left: int = ACTIONS_PER_STEP * first.observation["steps_remaining"]
        self._error = ""
        self._latest = first
        self.step: int = first.observation["step"]
        try:
            self._open_first_page()
        except CompanyosError:
            self.close()
            raise

    @abstractmethod
    def open_browser(self, url: str, token: str) -> PageBrowser:
        """Return a browser of the pages at this address."""

    @abstractmethod
    def page(self) -> dict[str, Any]:
        """Return what the agent sees of the page: its `text`, and whatever else an observation has of it."""

    @property
    def is_spent(self) -> bool:
        """Whether the agent has no action left."""
        return self._actions_left <= 0

    def first(self) -> Result:
        """Return the result of the reset as the agent sees it."""
        shown = self.result(None)
        text = f"{self.INSTRUCTIONS}\n\n{shown.observation['text']}"
        tools = [action.tool(name) for name, action in self.ACTIONS.items()]
        return replace(shown, observation=Observation({**shown.observation, "text": text, "tools": tools}))

    def action_of(self, output: Any) -> dict[str, Any]:
        """Return the action of the browser in a model's output, as a call; an invalid action if there is none.

        Args:
            output: Text such as `click(3)`, alone or in the last line, or whatever `CompanyosEnv.step` takes as a call.
        """
        action = action_of(output)
        if action.get("type") != "invalid":
            return action
        lines = [line.strip("` ") for line in str(action["raw"]).splitlines() if line.strip("` ")]
        try:
            name, arguments = parse_action(lines[-1] if lines else "")
        except BrowserActionError:
            return action
        parts = self.ACTIONS[name].arguments if name in self.ACTIONS else {}
        if len(arguments) > len(parts):
            return action
        return {"tool_name": name, "arguments": dict(zip(parts, arguments, strict=False))}

    def act(self, action: Mapping[str, Any]) -> None:
        """Carry out an action; one that cannot be carried out is an error on the page, and no step.

        An action during which the browser ended is not counted.

        Raises:
            ServerUnreachable: No page arrived. The action may have been carried out.
        """
        self._error = ""
        try:
            name, arguments = self._name_and_arguments(action)
            self._browse(name, arguments)
        except BrowserRestarted as restart:
            self._error = str(restart)
            self._actions_left += 1
        except BrowserActionError as error:
            self._error = str(error)
        self._actions_left -= 1

    def result(self, step: Result | None) -> Result:
        """Return what the latest action led to.

        Args:
            step: The result of the step that it was; None if it was none.
        """
        latest = self._latest = step or replace(self._latest, reward=0.0)
        self.step = latest.observation["step"]
        seen, page = latest.observation, self.page()
        text = f"{page['text']}\n\n{self._actions_left} actions left"
        shown = {
            **page,
            "text": f"That did not work: {self._error}\n\n{text}" if self._error else text,
            "url": self._browser.url.removeprefix(self._url),
            "title": self._browser.title,
            "last_action_error": self._error,
            "actions_left": self._actions_left,
            "tool_name": seen["tool_name"] if step else None,
            "result": None,
            "error": self._error_document() or (step and seen["error"]),
        }
        names = ("step", "steps_remaining", "sim_now", "elapsed_s")
        return replace(latest, observation=Observation({**{name: seen[name] for name in names}, **shown}))

    def close(self) -> None:
        """Close the browser."""
        self._browser.close()

    def _open_first_page(self) -> None:
        self._browse("goto", [self._url])
        if self._browser.status == httpx.codes.UNAUTHORIZED:
            raise NoEpisode(401, "no_pages", f"The pages at {self._url} do not know the agent's token.")

    def _browse(self, name: str, arguments: list[Any]) -> None:
        try:
            self._browser.perform(name, arguments)
        except (httpx.HTTPError, PageLost) as error:
            raise ServerUnreachable(f"No page from {self._url}: {error or type(error).__name__}.") from error

    def _name_and_arguments(self, action: Mapping[str, Any]) -> tuple[str, list[Any]]:
        """Return the name and the arguments of an action in order.

        Raises:
            BrowserActionError: It is none, or has other arguments.
        """
        name, arguments = str(action.get("tool_name", "")), _decode(action.get("arguments")) or {}
        if name not in self.ACTIONS:
            raise BrowserActionError(
                f"Answer with one action: {', '.join(self.ACTIONS)}. For example, go_back()."
            )
        parts = self.ACTIONS[name].arguments
        if not isinstance(arguments, Mapping) or arguments.keys() != parts.keys():
            raise BrowserActionError(f"{name} takes {' and '.join(parts) or 'no arguments'}.")
        return name, [arguments[part] for part in parts]

    def _error_document(self) -> dict[str, Any] | None:
        if not self._error:
            return None
        return {
            "error_type": "invalid_args",
            "code": "action_failed",
            "message": self._error,
            "retryable": False,
        }


class PageDoorEnv(CompanyosEnv):
    """Episodes played through their pages: actions are those of a browser, observations its pages.

    Unless `max_steps` is given, episodes are half as long again as those of calls.

    Attributes:
        OPENS: The door that each episode opens.
    """

    OPENS: ClassVar[type[PageDoor]]
    _door: PageDoor | None = None

    def reset(self, /, **options: Any) -> Result:
        """Start an episode and open its first page; takes and raises what `CompanyosEnv.reset` does."""
        if "max_steps" not in options:
            options["max_steps"] = raised_step_limit(super().reset(**options))
        first = super().reset(**options)
        self.leave_pages()
        self._door = self.OPENS(first, self.agent_access)
        return self._door.first()

    def step(self, action: Any, *, timeout_s: float | None = None) -> Result:
        """Play a model's output as an action of the browser, which may be no step; raises as `CompanyosEnv.step`.

        An episode whose agent has no action left is ended and counts as truncated.
        """
        door = self._door
        if door is None or action == ABANDON:
            return super().step(action, timeout_s=timeout_s)
        door.act(door.action_of(action))
        result = None
        for record in self.trace(after=door.step):
            result = super().step(record["action"], timeout_s=timeout_s)
        if door.is_spent and not (result and result.done):
            return as_truncated(door.result(super().step(ABANDON, timeout_s=timeout_s)))
        return door.result(result)

    def close(self) -> None:
        """Close the browser, and what `CompanyosEnv.close` closes."""
        self.leave_pages()
        super().close()

    def leave_pages(self) -> None:
        """Close the browser; the episode continues without it."""
        if self._door is not None:
            self._door.close()
            self._door = None


def _decode(arguments: Any) -> Any:
    """Return arguments that a chat library wrote as JSON, once or twice, as what they mean."""
    for _ in range(2):
        try:
            arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
        except (ValueError, RecursionError):
            return arguments
    return arguments


def raised_step_limit(first: Result) -> str:
    """Return the step limit of an episode in pages, given its reset for calls."""
    return f"+{ceil(STEPS_FACTOR * first.observation['steps_remaining'])}"


def as_truncated(last: Result) -> Result:
    """Return the last result of an episode whose agent has spent its actions."""
    return replace(last, metadata=Record({**last.metadata, "terminated": False, "truncated": True}))
