"""A player of the door of pictures: the oracle's calls, made in Chromium by clicks and keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from companyos import CompanyosEnv
from companyos.client import Observation
from companyos.client.pages.pixel_browser import HEIGHT, PixelBrowser
from companyos.evaluation.agents import Oracle
from companyos.evaluation.runs.players.doors import argument_text, tools_at
from companyos.sdk.scenario import load_scenarios

#: Where the middle of an element is, or of the part of it that is in the window.
MIDDLE = """(selector) => {
  const box = [...document.querySelectorAll(selector)].at(-1).getBoundingClientRect();
  return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
}"""
VALUES = "(selector) => [...document.querySelector(selector).options ?? []].map((each) => each.value)"
FIELDS = "(selector) => [...document.querySelectorAll(selector)].map(({ name }) => name)"
IS_HIDDEN = "(selector) => [...document.querySelectorAll(selector)].every((each) => each.closest('details'))"
#: Arguments that no field asks for: those that links give, and those that forms carry.
LINKED: Final = frozenset({"cursor", "limit", "min_version"})
CARRIED: Final = frozenset({"idempotency_key", "version"})


@dataclass
class Player:
    """A browser whose actions and pictures are kept, with a person's eyes for where things are."""

    browser: PixelBrowser
    actions: list[tuple[str, list[Any]]] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.browser._chromium.wait_for(self.listen())

    async def listen(self) -> None:
        self.browser._page.context.on("request", lambda request: self.asked.append(request.url))

    def look(self, script: str, selector: str) -> Any:
        return self.browser._chromium.wait_for(self.browser._page.evaluate(script, selector))

    def do(self, name: str, *arguments: Any) -> None:
        self.browser.perform(name, arguments)
        self.actions.append((name, list(arguments)))
        self.pictures.append(self.browser.picture.sha256)

    def click(self, selector: str) -> None:
        x, y = self.look(MIDDLE, selector)
        if not 0 <= y < HEIGHT:
            self.do("scroll", 0, y - HEIGHT // 2)
            x, y = self.look(MIDDLE, selector)
        self.do("mouse_click", x, y)

    def write(self, name: str, text: str) -> None:
        """Write into a field, or choose the option of a value."""
        selector = f"main form [name={name}]"
        self.click(selector)
        if options := self.look(VALUES, selector):
            self.click(f"{selector} option:nth-of-type({options.index(text) + 1})")
        else:
            self.do("keyboard_press", "Control+a")
            self.do("keyboard_type", text)

    def open(self, name: str, carried: Mapping[str, str]) -> None:
        """Open the page of a tool by clicks, or by its address if its form is to carry something."""
        service = name.partition("_")[0]
        is_of_service = self.look(FIELDS, f"header nav a[href={service}]")
        self.click(f"header nav a[href={service}]" if is_of_service else "header nav a.home")
        if carried or self.look(IS_HIDDEN, f"main a[href={name}]"):
            self.do("goto", f"{name}?{urlencode(sorted(carried.items()))}".rstrip("?"))
        else:
            self.click(f"main a[href={name}]")

    def make_call(self, tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
        """Find a tool from the header, fill in what its form asks for, and send it."""
        name, schema = tool["name"], tool["input_schema"]["properties"]
        texts = {
            key: argument_text(schema.get(key, {}), value)
            for key, value in arguments.items()
            if value is not None
        }
        if LINKED & texts.keys():
            self.do("goto", f"{name}?{urlencode(texts)}")
            return
        self.open(name, {key: texts.pop(key) for key in CARRIED & texts.keys()})
        fields = self.look(FIELDS, f"main form[action={name}] [name]:not([type=hidden])")
        typed = [each for each in fields if each in texts]
        for each in typed:
            self.write(each, texts[each])
        # A page without arguments is already there.
        if typed or self.look(FIELDS, f"main form[action={name}][method=post]"):
            self.click(f"main form[action={name}] button")


@dataclass(frozen=True)
class Play:
    """An episode that was played by pictures: its records, its grade, and what its player did, saw and asked for."""

    web: str
    records: list[dict[str, Any]]
    success: bool
    player: Player


def browser_of(env: CompanyosEnv) -> PixelBrowser:
    """Return a browser of the pages of the episode that a client has begun."""
    return PixelBrowser(env.agent_access["agent_urls"]["web"], env.agent_access["agent_token"])


def play_by_pictures(env: CompanyosEnv, task: Mapping[str, Any]) -> Play:
    """Let the oracle play a task by clicks and keys."""
    seen, oracle = env.reset(**task).observation, Oracle(load_scenarios()[task["scenario"]])
    web = env.agent_access["agent_urls"]["web"]
    tools, records = tools_at(web, env.agent_access["agent_token"]), list[dict[str, Any]]()
    oracle.start(seen)
    with browser_of(env) as browser:
        player = Player(browser)
        while not (records and records[-1]["done"]):
            action = oracle.act(seen)
            player.make_call(tools[action["tool_name"]], action["arguments"])
            records += env.trace(after=len(records))
            seen = Observation(records[-1]["observation"])
    return Play(web, records, bool(env.grade()["success"]), player)


def replayed_hash(env: CompanyosEnv, task: Mapping[str, Any], play: Play) -> str:
    """Make the calls of a play without pages, and return their trace hash."""
    env.reset(**task)
    for record in play.records:
        last = env.step(record["action"])
    return str(last.metadata["trace_hash"])


def pictures_again(env: CompanyosEnv, task: Mapping[str, Any], play: Play) -> list[str]:
    """Repeat what the player of a play did, in a new episode of its task, and return the pictures."""
    env.reset(**task)
    with browser_of(env) as browser:
        player = Player(browser)
        for name, arguments in play.player.actions:
            player.do(name, *arguments)
    return player.pictures
