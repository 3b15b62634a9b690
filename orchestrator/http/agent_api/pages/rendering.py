"""Renders pages: what the agent's observation shows, in HTML that runs no script and loads nothing but its stylesheet.

Nothing else gets into a page, so that none can show more than the agent's tools do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ....agent.tools import Tool
from .fields import CARRIED, carried_of, fields_of, label_of
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
    is_person,
    number,
    parts_of,
    rest_of_list,
    set_apart,
)
from .site import Site, href, is_page, parameter_of
from .subjects import Subject, alert_of
from .texts import Span, blocks_of, spans_of

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
    """Where the agent stands when it sees a page."""

    sim_now: str
    steps_remaining: int
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

    def home(self, task: str) -> str:
        """Return the first page: the task, and ways to work on it and to end it."""
        return self._page("home.html", title="Your task", task=task, service="")

    def service(self, name: str) -> str:
        """Return the page of a service: everything that can be seen or done there."""
        menu, others = self._site.menu(name, self._offered), self._site.others(name, self._offered)
        return self._page(
            "service.html", title=self._site.services[name], service=name, menu=menu, others=others
        )

    def tool(
        self,
        tool: Tool,
        values: Mapping[str, str],
        seen: Mapping[str, Any] | None = None,
        back: str = "",
    ) -> str:
        """Return the page of a tool: its form filled in with these texts, and what the agent sees of a call of it.

        Args:
            tool: The tool.
            values: The texts in its form.
            seen: The observation of the call, if it was made.
            back: The address of the page that led here, which the agent wants to go on with.
        """
        error, result = (seen["error"], seen["result"]) if seen else (None, None)
        subject = Subject(self._site, self._offered, tool, values, result)
        own = self._site.layout(tool)
        hidden = NOT_ASKED if is_page(tool) else CARRIED
        return self._page(
            "tool.html",
            title=self._site.title(tool),
            tool=tool,
            service=tool.service,
            is_page=is_page(tool),
            fields=fields_of(tool, values, hidden=hidden, first=own.columns),
            carried=carried_of(tool, values),
            label=_label(self._site.title(tool), tool, error),
            values=values,
            seen=seen,
            done=seen is not None and error is None,
            error=error,
            alert=alert_of(subject, values, error) if error else None,
            back=self._back(back),
            result=result,
            subject=subject,
            list_layout=own,
            open=self._opener(tool),
            adding=self._site.creating(tool, self._offered),
        )

    def plain(self, tool: Tool, seen: Mapping[str, Any]) -> str:
        """Return the page of a call as plain text, for when its template fails."""
        return self._page("plain.html", title=self._site.title(tool), service=tool.service, seen=seen)

    def _back(self, address: str) -> tuple[str, str] | None:
        """Return the title and the address of a page to go back to; None if it is no page of the agent's."""
        tool = self._offered.get(address.partition("?")[0])
        return None if tool is None else (self._site.title(tool), address)

    def _opener(self, tool: Tool) -> Callable[[str], str] | None:
        """Return the function from the id of a list's object to the address that shows it, or None."""
        opened = self._site.page_of_rows(tool)
        if opened is None or opened.name not in self._offered:
            return None
        return lambda row_id: href(opened, {str(parameter_of(opened)): row_id})

    def _page(self, template: str, **context: Any) -> str:
        service = context["service"]
        return _templates.get_template(template).render(
            standing=self._standing,
            waits=WAITS,
            services=self._site.services,
            title_of=self._site.title,
            offered=self._offered,
            menu_of=lambda name: self._site.menu(name, self._offered),
            link=lambda name, value: self._site.link(service, name, value, self._offered),
            words=self._words,
            **context,
        )

    def _words(self, line: str) -> Iterator[Span]:
        """Yield the parts of a line, in which tools are their pages' titles, and they and ids are links."""
        for span in spans_of(line, self._address):
            tool = self._offered.get(span.text) if span.address else None
            yield span if tool is None else Span(self._site.title(tool), "", span.address)

    def _address(self, word: str) -> str | None:
        return word if word in self._offered else self._site.link("", "", word, self._offered)


def problem_page(title: str, detail: str, *, leads_back: bool = True) -> str:
    """Return the page of a request that was refused before it became a call, with a link to the task if it has one."""
    return _templates.get_template("problem.html").render(title=title, detail=detail, leads_back=leads_back)


def style() -> str:
    """Return the stylesheet."""
    return _templates.get_template("style.css").render()


def _label(title: str, tool: Tool, error: Mapping[str, Any] | None) -> str:
    """Return what the button of a tool's form says."""
    if is_page(tool):
        return "Show" if parameter_of(tool) else "Search" if "q" in tool.places else "Apply"
    return "Send again" if error and error["retryable"] else title


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
    "is_person": is_person,
    "label": label_of,
    "number": number,
    "parts": parts_of,
    "rest": rest_of_list,
    "set_apart": set_apart,
}
_templates.globals |= {"href": href, "states": _STATES}
