"""The text door: episodes played through their pages, behind the methods of the client.

    with TextDoorEnv(base_url="http://localhost:8000") as env:
        result = env.reset(scenario="vendor_onboarding", seed=7)
        result = env.step("click(1)")

The agent sees a page as an outline and answers with an action of a browser. The steps are the calls that the pages
make, and rewards, grade and trace are theirs: the same calls without pages have the same trace hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any, Final

import httpx

from ..conversation import Observation, Record, Result
from ..environment import CompanyosEnv
from ..errors import NoEpisode, ServerUnreachable
from ..model_output import action_of
from .text_browser import BrowserActionError, TextBrowser, parse_action

#: The step limit in pages, over that of calls: some pages only lead to others.
STEPS_FACTOR: Final = 1.5
#: The most actions of the browser for each step of the limit: to fill in a field is an action and no step.
ACTIONS_PER_STEP: Final = 4
#: What an agent is told before its first page.
INSTRUCTIONS: Final = (
    "You work in the web pages of your company's software. Each message shows a page as text: its main part first, and "
    "everything that you can act on with a [number]. Answer with one action, such as click(3) or "
    'fill(5, "high"). Numbers change with every page. To open a page and to submit a form takes a step; to fill in a '
    "field takes none."
)
#: The tools of an agent in pages: name, description, and the type and description of each argument.
_ACTIONS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "click": ("Follow a link, or submit the form of a button.", {"bid": "Its number."}),
    "fill": (
        "Write text into a field, instead of what it holds.",
        {"bid": "The field's number.", "value": "The text."},
    ),
    "select_option": (
        "Choose an option of a combobox.",
        {"bid": "Its number.", "options": "The option's label."},
    ),
    "goto": ("Open a page by its address.", {"url": "The address, such as `ticketdesk_list_tickets`."}),
    "go_back": ("Open the page before this one again.", {}),
    "noop": ("Do nothing.", {}),
}
ACTION_TOOLS: Final = tuple(
    {
        "name": name,
        "description": description,
        "input_schema": {
            "type": "object",
            "properties": {part: {"type": "string", "description": text} for part, text in parts.items()},
            "required": list(parts),
            "additionalProperties": False,
        },
    }
    for name, (description, parts) in _ACTIONS.items()
)


def browser_action_of(output: Any) -> dict[str, Any]:
    """Return the action of a browser in a model's output, as a call; an invalid action if there is none.

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
    _, parts = _ACTIONS.get(name, ("", {}))
    if len(arguments) > len(parts):
        return action
    return {"tool_name": name, "arguments": dict(zip(parts, arguments, strict=False))}


class TextDoor:
    """The browser of one episode, and what its agent sees of it.

    Attributes:
        step: How many steps the agent has taken.

    Args:
        first: The result of the reset.
        access: The agent's token and addresses.
    """

    def __init__(self, first: Result, access: Mapping[str, Any]) -> None:
        if not access:
            raise NoEpisode(
                409, "no_pages", "Pages need the agent's token, which the server shows at reset only."
            )
        self._url = access["agent_urls"]["web"]
        self._browser = TextBrowser(self._url, access["agent_token"])
        self._actions_left: int = ACTIONS_PER_STEP * first.observation["steps_remaining"]
        self._error = ""
        self._latest = first
        self.step: int = first.observation["step"]
        self._browse("goto", [self._url])
        if self._browser.status == httpx.codes.UNAUTHORIZED:
            raise NoEpisode(401, "no_pages", f"The pages at {self._url} do not know the agent's token.")

    @property
    def is_spent(self) -> bool:
        """Whether the agent has no action left."""
        return self._actions_left <= 0

    def first(self) -> Result:
        """Return the result of the reset as the agent sees it."""
        shown = self.result(None)
        text = f"{INSTRUCTIONS}\n\n{shown.observation['text']}"
        return replace(
            shown, observation=Observation({**shown.observation, "text": text, "tools": list(ACTION_TOOLS)})
        )

    def act(self, action: Mapping[str, Any]) -> None:
        """Carry out an action; one that cannot be carried out is an error on the page, and no step.

        Raises:
            ServerUnreachable: No page arrived. The action may have been carried out.
        """
        self._error = ""
        try:
            name, arguments = _name_and_arguments(action)
            self._browse(name, arguments)
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
        seen, browser = latest.observation, self._browser
        text = f"{browser.outline}\n\n{self._actions_left} actions left"
        shown = {
            "text": f"That did not work: {self._error}\n\n{text}" if self._error else text,
            "url": browser.url.removeprefix(self._url),
            "title": browser.title,
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

    def _browse(self, name: str, arguments: list[Any]) -> None:
        try:
            self._browser.perform(name, arguments)
        except httpx.HTTPError as error:
            raise ServerUnreachable(f"No page from {self._url}: {error or type(error).__name__}.") from error

    def _error_document(self) -> dict[str, Any] | None:
        if not self._error:
            return None
        return {
            "error_type": "invalid_args",
            "code": "action_failed",
            "message": self._error,
            "retryable": False,
        }


class TextDoorEnv(CompanyosEnv):
    """Episodes played through their pages: actions are those of a browser, observations its pages as text.

    Unless `max_steps` is given, episodes are half as long again as those of calls.
    """

    _door: TextDoor | None = None

    def reset(self, /, **options: Any) -> Result:
        """Start an episode and open its first page; takes and raises what `CompanyosEnv.reset` does."""
        if "max_steps" not in options:
            options["max_steps"] = longer(super().reset(**options))
        first = super().reset(**options)
        self._leave_pages()
        self._door = TextDoor(first, self.agent_access)
        return self._door.first()

    def step(self, action: Any, *, timeout_s: float | None = None) -> Result:
        """Play a model's output as an action of the browser, which may be no step; raises as `CompanyosEnv.step`.

        An episode whose agent has no action left is ended and counts as truncated.
        """
        door = self._door
        if door is None or action == ABANDON:
            return super().step(action, timeout_s=timeout_s)
        door.act(browser_action_of(action))
        result = None
        for record in self.trace(after=door.step):
            result = super().step(record["action"], timeout_s=timeout_s)
        if door.is_spent and not (result and result.done):
            return truncated(door.result(super().step(ABANDON, timeout_s=timeout_s)))
        return door.result(result)

    def close(self) -> None:
        """Close the browser, and what `CompanyosEnv.close` closes."""
        self._leave_pages()
        super().close()

    def _leave_pages(self) -> None:
        if self._door is not None:
            self._door.close()
            self._door = None


#: The action that ends an episode whose agent will not act again.
ABANDON: Final = {"type": "abandon"}


def longer(first: Result) -> str:
    """Return the step limit of an episode in pages, given its reset for calls."""
    return f"+{ceil(STEPS_FACTOR * first.observation['steps_remaining'])}"


def truncated(last: Result) -> Result:
    """Return the last result of an episode whose agent has spent its actions."""
    return replace(last, metadata=Record({**last.metadata, "terminated": False, "truncated": True}))


def _name_and_arguments(action: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return the name and the arguments of an action in order.

    Raises:
        BrowserActionError: It is none, or has other arguments.
    """
    name, arguments = str(action.get("tool_name", "")), action.get("arguments") or {}
    if name not in _ACTIONS:
        raise BrowserActionError(f"Answer with one action: {', '.join(_ACTIONS)}. For example, click(3).")
    _, parts = _ACTIONS[name]
    if not isinstance(arguments, Mapping) or arguments.keys() != parts.keys():
        raise BrowserActionError(f"{name} takes {' and '.join(parts) or 'no arguments'}.")
    return name, [arguments[part] for part in parts]
