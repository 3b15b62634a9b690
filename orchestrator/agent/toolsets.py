"""Toolsets: the tools that an agent is given, and their descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, assert_never

from companyos.sdk.chaos import CATALOG, Chaos
from companyos.sdk.scenario import Scenario

from ..protocol.options import ToolChoice, ToolsFormat
from ..protocol.problems import Refusal
from .agent_schemas import shared_signature_text, shared_text, signature_card
from .observation_text import tools_text
from .suggestions import did_you_mean
from .tools import (
    FINISH,
    REFUSE,
    WAIT,
    Tool,
)

#: The tools of every scenario: to let time pass, and to end the task.
COMMON: Final = (WAIT.name, FINISH.name, REFUSE.name)
#: Most cached toolsets; each is only a list of references.
MOST_KEPT: Final = 512


@dataclass(frozen=True)
class ToolList:
    """Tools as an agent reads them.

    Attributes:
        cards: Each with its name, description and schema, as OpenEnv lists them.
        introduction: What a model is told of them together, before it reads each.
        text: All of it as text, a line for each tool after the introduction.
    """

    cards: list[dict[str, Any]]
    introduction: str
    text: str


class Toolset:
    """The tools of one agent.

    Attributes:
        catalog: Every tool of the company by name.
        offered: The agent's tools, in the catalog's order.
    """

    def __init__(self, catalog: Mapping[str, Tool], names: Iterable[str] | None = None) -> None:
        """Choose tools.

        Args:
            catalog: Every tool of the company by name.
            names: The tools to offer; None for all.
        """
        chosen = None if names is None else set(names)
        self.catalog = catalog
        self.offered = {name: tool for name, tool in catalog.items() if chosen is None or name in chosen}

    def get(self, name: str) -> Tool | None:
        """Return the tool of this name, or None if the agent does not have it."""
        return self.offered.get(name)

    @cached_property
    def cards(self) -> list[dict[str, Any]]:
        """The tools as OpenEnv lists them."""
        return [tool.card for tool in self.offered.values()]

    @cached_property
    def functions(self) -> list[dict[str, Any]]:
        """The tools in OpenAI function format."""
        return [tool.function for tool in self.offered.values()]

    @cached_property
    def _schemas(self) -> ToolList:
        introduction = shared_text(card["input_schema"] for card in self.cards)
        return ToolList(self.cards, introduction, f"{introduction}\n\n{tools_text(self.cards)}")

    @cached_property
    def _signatures(self) -> ToolList:
        cards = [signature_card(card) for card in self.cards]
        introduction = shared_signature_text(card["input_schema"] for card in self.cards)
        lines = [introduction, *(card["signature"] for card in cards)]
        return ToolList(cards, introduction, "\n".join(lines))

    def listed(self, form: ToolsFormat) -> ToolList:
        """Return the tools as an agent reads them in this format."""
        match form:
            case ToolsFormat.SCHEMAS:
                return self._schemas
            case ToolsFormat.SIGNATURES:
                return self._signatures
            case _:
                assert_never(form)


class Toolsets:
    """The toolsets for episodes over one catalog; equal choices share one."""

    def __init__(self, catalog: Mapping[str, Tool]) -> None:
        self._catalog = catalog
        self._kept: dict[tuple[ToolChoice, str, tuple[str, ...]], Toolset] = {}

    def chosen(self, choice: ToolChoice, scenario: Scenario, *chaoses: Chaos) -> Toolset:
        """Return the tools of a choice: all, exactly the named ones, or those that a scenario can need.

        They depend only on the scenario and the chaos setting, so that they reveal nothing about a seed.

        Args:
            choice: The trainer's choice.
            scenario: The episode's scenario.
            chaoses: All chaos settings that have been in force in the episode.
        """
        key = (choice, scenario.name, tuple(chaos.digest for chaos in chaoses))
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = Toolset(self._catalog, self._names(choice, scenario, chaoses))
        return self._kept[key]

    def refuse_unknown(self, choice: ToolChoice) -> None:
        """Refuse a choice that names an unknown tool.

        Raises:
            Refusal: 422 tool_unknown, with the nearest names.
        """
        for name in () if isinstance(choice, str) else choice:
            if name not in self._catalog:
                again = did_you_mean(name, self._catalog) or f" There are: {', '.join(self._catalog)}."
                raise Refusal(422, "tool_unknown", f"There is no tool {name!r}.{again}", field="tools")

    def _names(
        self, choice: ToolChoice, scenario: Scenario, chaoses: Iterable[Chaos]
    ) -> Iterable[str] | None:
        if choice == "all" or (choice == "scenario" and not scenario.tools):
            return None
        if choice != "scenario":
            return choice
        coping = coping_operations(chaoses)
        mending = (tool.name for tool in self._catalog.values() if tool.operation in coping)
        return {*scenario.tools, *mending, *COMMON}


def coping_operations(chaoses: Iterable[Chaos]) -> frozenset[str]:
    """Return the operations, without services' names, that detect or repair the possible faults of these settings."""
    specs = [CATALOG[fault] for chaos in chaoses for fault in chaos.settings]
    return frozenset(name for spec in specs for name in (*spec.coping_tools, *spec.supporting_tools))
