"""The `play` command: a person plays an episode in the terminal."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer

from companyos.client import CompanyosEnv, CompanyosError
from companyos.embedded.errors import StackError
from companyos.sdk.chaos import ChaosRefused, parse_chaos
from companyos.sdk.scenario import ScenarioUnknown, find

from ..chaos import read_profile
from ..demo import checked_url, trainer_stack
from ..output import echo
from .browser import play_in_browser
from .completion import COMMANDS, Vocabulary, summary_of
from .prompt import LineSource, line_source
from .texts import LEFT, grade_text, hint, reward_text, tool_text
from .typed_calls import NotACall, parse_call

#: What the first observation adds to the brief.
GUIDANCE = ("none", "pointers", "full")
ON_ITS_WAY = "\nThe call is on its way and cannot be taken back; its answer follows. Ctrl-C again leaves."
HOW = "Type a tool and its arguments, such as: {example}\nType help for more. Ctrl-D leaves."


@dataclass(frozen=True)
class EpisodeChoice:
    """The episode that a person wants to play, as typed at the command line."""

    scenario: str
    seed: int
    chaos: str
    guidance: str = "none"


def run(
    choice: EpisodeChoice,
    *,
    trainer: bool,
    browser: bool = False,
    url: str | None,
    token: str | None,
    home: Path | None,
) -> None:
    """Play an episode by hand until it is over or the input ends.

    Args:
        choice: The episode.
        trainer: Whether to show the reward of each step too.
        browser: Whether to play in the pages instead of the terminal.
        url: Trainer API to play on; by default the home's stack, or one started for the purpose.
        token: Its token.
        home: Home of the stack.

    Raises:
        typer.BadParameter: There is no such scenario or chaos.
        StackError: The stack failed.
    """
    options = reset_options(choice, checked_url(url))
    with trainer_stack(home, url, token) as (address, key), CompanyosEnv(address, token=key) as env:
        try:
            if browser:
                play_in_browser(env, options)
            else:
                TerminalEpisode.start(env, options, trainer=trainer).play()
        except CompanyosError as failure:
            raise StackError(str(failure)) from failure


def reset_options(choice: EpisodeChoice, url: str | None = None) -> dict[str, Any]:
    """Return the options of the reset; a stack at a URL may have scenarios that are unknown here.

    Raises:
        typer.BadParameter: There is no such scenario or chaos.
    """
    if url is None:
        check_scenario(choice.scenario)
    if choice.guidance not in GUIDANCE:
        message = f"there is no {choice.guidance!r}. Choose from: {', '.join(GUIDANCE)}"
        raise typer.BadParameter(message, param_hint="--guidance")
    try:
        chaos = read_profile(choice.chaos)
        parse_chaos(chaos)
    except ChaosRefused as refused:
        raise typer.BadParameter(str(refused), param_hint="--chaos") from None
    return {
        "scenario": choice.scenario,
        "seed": choice.seed,
        "chaos": chaos,
        "tools": "scenario",
        "guidance": choice.guidance,
    }


def check_scenario(name: str) -> None:
    """Check that a scenario is installed, before a stack starts.

    Raises:
        typer.BadParameter: There is no such scenario.
    """
    try:
        find(name)
    except ScenarioUnknown as unknown:
        raise typer.BadParameter(str(unknown), param_hint="SCENARIO") from None


@dataclass
class TerminalEpisode:
    """One episode at the terminal.

    Attributes:
        trainer: Whether the reward of each step is shown.
    """

    env: CompanyosEnv
    brief: str
    vocabulary: Vocabulary
    lines: LineSource
    trainer: bool

    @classmethod
    def start(cls, env: CompanyosEnv, options: Mapping[str, Any], *, trainer: bool) -> TerminalEpisode:
        """Start the episode."""
        observation = env.reset(**options).observation
        vocabulary = Vocabulary({tool["name"]: tool for tool in observation["tools"]})
        vocabulary.see(observation.text)
        return cls(env, observation.text, vocabulary, line_source(vocabulary), trainer)

    def play(self) -> None:
        """Show the brief, then play every line until the episode is over or the input ends."""
        echo(f"{self.brief}\n\n{HOW.format(example=self._example())}")
        over = False
        while not over:
            try:
                line = self.lines().strip()
            except KeyboardInterrupt:
                continue
            except EOFError:
                echo(LEFT)
                return
            if line == "leave":
                return
            over = bool(line) and self._take(line)

    def _take(self, line: str) -> bool:
        """Carry out a line; return whether the episode is over."""
        word, _, rest = line.partition(" ")
        if word in COMMANDS:
            echo(self._answer(word, rest.strip()))
            return False
        tools = self.vocabulary.tools
        if word not in tools:
            # A tool that does not exist costs an agent reward, but a typing error should not cost the player.
            near = get_close_matches(word, [*tools, *COMMANDS], n=3)
            echo(f"There is no tool {word!r}. {hint(near)}")
            return False
        try:
            action = parse_call(line, tools)
        except NotACall as mistake:
            echo(str(mistake))
            return False
        return self._step(action)

    def _step(self, action: Mapping[str, Any]) -> bool:
        try:
            with answer_awaited():
                result = self.env.step(action)
        except KeyboardInterrupt:
            echo(LEFT)
            raise
        self.vocabulary.see(result.observation.text)
        echo(result.observation.text)
        seen = result.observation
        echo(f"[step {seen.step}, {seen.steps_remaining} left; it is {seen.sim_now}]")
        if self.trainer:
            echo(reward_text(result))
        if result.done:
            echo(grade_text(self.env.grade()))
        return result.done

    def _answer(self, word: str, name: str) -> str:
        tools = self.vocabulary.tools
        if word == "brief":
            return self.brief
        if word == "help" and name in tools:
            return tool_text(tools[name])
        commands = COMMANDS if word == "help" else {}
        words = {**{tool: summary_of(card) for tool, card in tools.items()}, **commands}
        return "\n".join(f"  {word}: {meaning}" for word, meaning in words.items())

    def _example(self) -> str:
        """Return a call of the first tool that needs an argument."""
        needs = {
            name: tool["input_schema"].get("required", ()) for name, tool in self.vocabulary.tools.items()
        }
        name = next((name for name, required in needs.items() if required), "")
        return " ".join([name, *(f"{argument}=…" for argument in needs.get(name, ()))])


@contextmanager
def answer_awaited() -> Iterator[None]:
    """Let the first Ctrl-C not interrupt a call, which may have been carried out; a second one does."""

    def tell_once(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        echo(ON_ITS_WAY)

    before = signal.signal(signal.SIGINT, tell_once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
