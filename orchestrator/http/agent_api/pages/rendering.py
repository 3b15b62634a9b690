"""Renders pages: what the agent's observation shows, in HTML that runs no script and loads nothing but its stylesheet.

Nothing else gets into a page, so that none can show more than the agent's tools do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ....agent.tools import Tool
from .choosing import Choice
from .fields import CARRIED, Field, FieldKind, carried_of, fields_of, label_of
from .formats import (
    HUES,
    columns_of,
    fact_label,
    initials,
    instant,
    is_empty,
    is_enumeration,
    is_list,
    is_long,
    number,
    parts_of,
    rest_of_list,
    set_apart,
)
from .site import MenuEntry, Site, href, is_page, parameter_of
from .subjects import LONGEST_BACK, Subject, alert_of
from .texts import Span, blocks_of, spans_of
from .wording import page_words

#: Fields whose value is a state, shown as a word with a color.
_STATES: Final = frozenset({"approval", "status", "priority", "decision", "availability"})
#: Arguments of lists that links give and nobody types.
NOT_ASKED: Final = ("cursor", "min_version", "limit")
#: Waits that the header offers, in seconds.
WAITS: Final[Mapping[int, str]] = {
    600: "10 min",
    3600: "1 hour",
    14_400: "4 hours",
    86_400: "1 day",
    604_800: "1 week",
}


@dataclass(frozen=True)
class Standing:
    """Where the agent stands when it sees a page; `step` counts the steps that it has taken."""

    sim_now: str
    steps_remaining: int
    step: int = 0
    is_over: bool = False


class Pages:
    """The pages of one agent.

    Args:
        site: The pages of all tools.
        offered: The agent's tools.
        standing: Where the agent stands.
    """

    def __init__(self, site: Site, offered: Mapping[str, Tool], standing: Standing) -> None:
        self._site = site
        self._offered = offered
        self._standing = standing

    def home(self, task: str, notice: str = "", back: str = "") -> str:
        """Return the first page: the task, and ways to work on it and to end it.

        Args:
            task: The text of the task.
            notice: What came of the step that led here.
            back: The address of the page that led here.
        """
        return self._page(
            "home.html", title="Your task", task=task, notice=notice, back=self._back(back), service=""
        )

    def service(self, name: str) -> str:
        """Return the page of a service: everything that can be seen or done there."""
        menu, others = self._site.menu(name, self._offered), self._site.others(name, self._offered)
        return self._page(
            "service.html", title=self._site.services[name], service=name, menu=menu, others=others, here=name
        )

    def tool(
        self,
        tool: Tool,
        values: Mapping[str, str],
        seen: Mapping[str, Any] | None = None,
        back: str = "",
        choice: Choice | None = None,
    ) -> str:
        """Return the page of a tool: its form filled in with these texts, and what the agent sees of a call of it.

        Args:
            tool: The tool.
            values: The texts in its form.
            seen: The observation of the call, if it was made.
            back: The address of the page that led here, which the agent wants to go on with.
            choice: What the page, of a list, is to choose a value for.
        """
        error, result = (seen["error"], seen["result"]) if seen else (None, None)
        subject = Subject(self._site, self._offered, tool, values, result)
        choice = choice if choice and choice.tool in self._offered else None
        here = _address(tool, values, choice)
        return self._page(
            "tool.html",
            title=self._title(tool, here),
            tool=tool,
            service=tool.service,
            choice=choice,
            sent=_sent(tool, values, result),
            values=values,
            seen=seen,
            done=seen is not None and error is None,
            error=error,
            alert=alert_of(subject, values, error, here, choice) if error else None,
            back=self._back(back),
            result=result,
            subject=subject,
            here=here,
            **self._list(tool, choice),
            **self._form(tool, values, error, choice),
        )

    def _form(
        self, tool: Tool, values: Mapping[str, str], error: Mapping[str, Any] | None, choice: Choice | None
    ) -> dict[str, Any]:
        """Return what the page of a tool says of its form."""
        hidden = NOT_ASKED if is_page(tool) else CARRIED
        fields = fields_of(tool, values, hidden=hidden, first=self._site.layout(tool).columns)
        return {
            "is_page": is_page(tool),
            "fields": fields,
            "lists": self._lists(tool, fields),
            "carried": {**carried_of(tool, values), **(choice.carried if choice else {})},
            "label": _label(self._site.title(tool), tool, error),
        }

    def plain(self, tool: Tool, seen: Mapping[str, Any]) -> str:
        """Return the page of a call as plain text, for when its template fails."""
        return self._page("plain.html", title=self._site.title(tool), service=tool.service, seen=seen)

    def _back(self, address: str) -> tuple[str, str] | None:
        """Return the title and the address of a page to go back to; None if it is no page of the agent's."""
        name = address.partition("?")[0]
        tool = self._offered.get(name)
        title = self._site.services.get(name) if tool is None else self._site.title(tool)
        return None if title is None else (title, address)

    def _lists(self, tool: Tool, fields: Sequence[Field]) -> Mapping[str, Tool]:
        """Return the lists to choose a value from, by field; the fields of pages, which are filters, have none."""
        found = dict[str, Tool]()
        for field in () if is_page(tool) else fields:
            chooser = self._site.chooser(tool.service, field.name, self._offered)
            if chooser and field.kind in (FieldKind.LINE, FieldKind.LIST):
                found[field.name] = chooser
        return found

    def _list(self, tool: Tool, choice: Choice | None) -> dict[str, Any]:
        """Return what the page of a tool says of its list: the columns, what a row leads to and is named by."""
        opened = self._site.page_of_rows(tool)
        return {
            "list_layout": self._site.layout(tool),
            "open": None if choice else self._opener(tool),
            "naming": "" if opened is None else self._site.layout(opened).heading,
            "adding": self._site.creating(tool, self._offered),
        }

    def _opener(self, tool: Tool) -> Callable[[str], str] | None:
        """Return the function from the id of a list's object to the address that shows it, or None."""
        opened = self._site.page_of_rows(tool)
        if opened is None or opened.name not in self._offered:
            return None
        return lambda row_id: href(opened, {str(parameter_of(opened)): row_id})

    def _entries(self, service: str, here: str) -> list[tuple[MenuEntry, bool]]:
        """Return the menu of a service, and which of its entries leads to the page at an address, or nearest to it."""
        entries = self._site.menu(service, self._offered)
        near = [
            entry for entry in entries if f"{here}&".startswith((f"{entry.address}&", f"{entry.address}?"))
        ]
        nearest = max(near, key=lambda entry: len(entry.address), default=None)
        return [(entry, entry is nearest) for entry in entries]

    def _title(self, tool: Tool, here: str) -> str:
        """Return the heading of a tool's page at an address: that of the menu's entry that leads there, if one does."""
        entries = self._entries(tool.service, here) if tool.service else ()
        named = (entry.title for entry, is_here in entries if is_here and entry.tool is tool)
        return next(named, self._site.title(tool))

    def _page(self, template: str, here: str = "", **context: Any) -> str:
        service = context["service"]
        return _templates.get_template(template).render(
            standing=self._standing,
            waits=WAITS,
            services=self._site.services,
            about=self._site.about,
            title_of=self._site.title,
            offered=self._offered,
            here=here[:LONGEST_BACK],
            menu_of=lambda name: self._entries(name, here),
            holds_name=self._site.is_name,
            link=lambda name, value: self._site.link(service, name, value, self._offered),
            words=self._words,
            api_words=self._api_words,
            **context,
        )

    def _words(self, line: str) -> Iterator[Span]:
        """Yield the parts of a line, in which tools are their pages' titles, and they and ids are links.

        A tool that the agent is not offered has a title, and nothing to lead to.
        """
        for span in spans_of(line, self._address):
            tool = (
                None if span.address is None else self._offered.get(span.text) or self._site.tool(span.text)
            )
            yield span if tool is None else Span(self._site.title(tool), "", span.address or None)

    def _api_words(self, line: str) -> Iterator[Span]:
        """Yield the parts of a line that was written for programs, in which names are what pages call them."""
        for span in self._words(page_words(line)):
            label = self._site.labels.get(span.text) if span.style == "code" else None
            yield span if label is None else Span(label, "strong", span.address)

    def _address(self, word: str) -> str | None:
        """Return the address that a word leads to, which is empty for a tool that is not offered; None for others."""
        if word in self._offered:
            return word
        return "" if self._site.tool(word) else self._site.link("", "", word, self._offered)


def problem_page(title: str, detail: str, *, leads_back: bool = True) -> str:
    """Return the page of a request that was refused before it became a call, with a link to the task if it has one."""
    return _templates.get_template("problem.html").render(title=title, detail=detail, leads_back=leads_back)


def style() -> str:
    """Return the stylesheet."""
    return _templates.get_template("style.css").render()


def _address(tool: Tool, values: Mapping[str, str], choice: Choice | None) -> str:
    """Return the address of a page, with the form that waits for a value if there is room for what it holds."""
    shown = {name: value for name, value in values.items() if name not in CARRIED}
    whole = href(tool, {**shown, **(choice.carried if choice else {})})
    return whole if len(whole) <= LONGEST_BACK else href(tool, shown)


def _label(title: str, tool: Tool, error: Mapping[str, Any] | None) -> str:
    """Return what the button of a tool's form says."""
    if is_page(tool):
        return "Show" if parameter_of(tool) else "Search" if "q" in tool.places else "Apply"
    return "Send again" if error and error["retryable"] else title


def _sent(tool: Tool, values: Mapping[str, str], result: Any) -> dict[str, str]:
    """Return what a form said that its result does not show, as texts by field."""
    shown = {*CARRIED, *(result if isinstance(result, Mapping) else ()), parameter_of(tool)}
    return {name: text for name, text in values.items() if name in tool.places and name not in shown}


_templates = ImmutableSandboxedEnvironment(
    loader=PackageLoader(__package__),
    autoescape=lambda name: name is None or not name.endswith(".css"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters |= {
    "blocks": blocks_of,
    "columns": columns_of,
    "empty": is_empty,
    "fact_label": fact_label,
    "hue": lambda text: sum(text.encode()) % HUES,
    "initials": initials,
    "instant": instant,
    "is_enumeration": is_enumeration,
    "is_list": is_list,
    "is_long": is_long,
    "label": label_of,
    "number": number,
    "parts": parts_of,
    "rest": rest_of_list,
    "set_apart": set_apart,
}
_templates.globals |= {"href": href, "states": _STATES}
