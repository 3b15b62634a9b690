"""Renders pages: what the agent's observation shows, in HTML that runs no script and loads nothing but its stylesheet.

Nothing else gets into a page, so that none can show more than the agent's tools do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson
from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ....agent.tools import Tool
from .fields import CARRIED, carried_of, fields_of, label_of
from .site import Layout, Site, href, is_page, parameter_of
from .texts import Span, blocks_of, spans_of

_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
#: Fields whose value is a state, shown as a word with a color.
_STATES: Final = frozenset({"status", "priority", "decision", "availability"})
#: Fields whose value is the id of a person, besides those that end in `_by`.
_PEOPLE: Final = frozenset(
    {
        "approver",
        "assignee",
        "author",
        "clerk",
        "delegate",
        "manager",
        "owner",
        "reporter",
        "requester",
        "sender",
    }
)
_PERSON: Final = re.compile(r"([a-z])[a-z-]*\.([a-z])[a-z-]*[0-9]*")
#: Colors of people's initials.
_HUES: Final = 6
#: A longer text is a paragraph of its own.
_LONGEST_FACT: Final = 90
#: The forms of an object that its page shows if its layout names none; the others are under *More*.
_SHOWN_FORMS: Final = 3
#: Arguments of lists that links give and nobody types.
NOT_ASKED: Final = ("cursor", "min_version", "limit")
#: Parts of a list's answer that are not its objects.
_LIST_PARTS: Final = ("items", "total", "next_cursor")
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

    def tool(self, tool: Tool, values: Mapping[str, str], seen: Mapping[str, Any] | None = None) -> str:
        """Return the page of a tool: its form filled in with these texts, and what the agent sees of a call of it."""
        site, result = self._site, seen and seen["result"]
        about, found = site.subject(tool), result if isinstance(result, Mapping) else {}
        key = str(parameter_of(about or tool))
        subject = {key: values.get(key) or (found.get("id") if about else None)}
        others, actions = site.beside(about or tool, self._offered) if subject[key] else ([], [])
        layout, actions = site.layout(about or tool), [each for each in actions if each is not tool]
        chosen = [f"{tool.service}_{operation}" for operation in layout.actions]
        actions.sort(key=lambda each: chosen.index(each.name) if each.name in chosen else len(chosen))
        return self._page(
            "tool.html",
            title=site.title(tool),
            tool=tool,
            service=tool.service,
            is_page=is_page(tool),
            fields=fields_of(tool, values, hidden=NOT_ASKED if is_page(tool) else CARRIED),
            carried=carried_of(tool, values),
            values=values,
            seen=seen,
            result=result,
            layout=layout,
            label=_label(site.title(tool), tool, seen),
            list=site.list_above(tool),
            columns=site.layout(tool).columns,
            open=self._opener(tool),
            adding=site.creating(tool, self._offered),
            about=about,
            subject=subject,
            others=[other for other in others if other is not tool],
            actions=[(each, _form_values(each, subject, found)) for each in actions],
            shown=sum(each.name in chosen for each in actions) or _SHOWN_FORMS,
        )

    def plain(self, tool: Tool, seen: Mapping[str, Any]) -> str:
        """Return the page of a call as plain text, for when its template fails."""
        return self._page("plain.html", title=self._site.title(tool), service=tool.service, seen=seen)

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


def problem_page(title: str, detail: str) -> str:
    """Return the page of a request that was refused before it became a call."""
    return _templates.get_template("problem.html").render(title=title, detail=detail)


def style() -> str:
    """Return the stylesheet."""
    return _templates.get_template("style.css").render()


def _form_values(action: Tool, subject: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the form of an action on the object shown begins with."""
    return {**subject, **({"version": found.get("version")} if "version" in action.places else {})}


def _label(title: str, tool: Tool, seen: Mapping[str, Any] | None) -> str:
    """Return what the button of a tool's form says."""
    if is_page(tool):
        return "Show"
    return "Send again" if seen and seen["error"] and seen["error"]["retryable"] else title


def _parts(result: Mapping[str, Any], layout: Layout) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what of an object needs room, its text first, and its short facts; its heading is neither."""
    room = {name: value for name, value in result.items() if _needs_room(value)}
    text = {layout.text: room[layout.text]} if layout.text in room else {}
    facts = {name: value for name, value in result.items() if name not in room and name != layout.heading}
    return text | room, facts


def _needs_room(value: Any) -> bool:
    if isinstance(value, str):
        return _is_long(value)
    return bool(value) and (
        isinstance(value, Mapping) or (isinstance(value, list) and isinstance(value[0], Mapping))
    )


def _is_long(text: str) -> bool:
    return "\n" in text or len(text) > _LONGEST_FACT


def _is_person(name: str) -> bool:
    """Whether a field of this name holds the id of a person."""
    return name in _PEOPLE or name.endswith("_by")


def _initials(person: str) -> str:
    """Return the initials of a person by the id; empty if it is none."""
    found = _PERSON.fullmatch(person)
    return "".join(found.groups()).upper() if found else ""


def _rest(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a list's answer says besides its objects."""
    return {name: value for name, value in result.items() if name not in _LIST_PARTS}


def _columns(rows: Sequence[Mapping[str, Any]], chosen: Sequence[str]) -> list[str]:
    """Return the columns of a table: the chosen ones, or all that have a value in any row."""
    names = dict.fromkeys(name for row in rows for name, value in row.items() if value not in (None, [], {}))
    return [name for name in chosen or names if name in names]


def _instant(value: Any) -> str | None:
    """Return an instant as people write it, or None if the value is none."""
    if not (isinstance(value, str) and _INSTANT.fullmatch(value)):
        return None
    when = datetime.fromisoformat(value)
    return f"{when.day} {when:%b %Y, %H:%M}" + (f":{when:%S}" if when.second else "")


_templates = ImmutableSandboxedEnvironment(
    loader=PackageLoader(__package__),
    autoescape=lambda name: name is None or not name.endswith(".css"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters |= {
    "blocks": blocks_of,
    "initials": _initials,
    "is_long": _is_long,
    "is_person": _is_person,
}
_templates.filters["hue"] = lambda text: sum(text.encode()) % _HUES
_templates.filters["parts"] = _parts
_templates.filters |= {"label": label_of, "instant": _instant, "rest": _rest, "columns": _columns}
_templates.filters["json"] = lambda value: orjson.dumps(value).decode()
_templates.globals |= {"href": href, "states": _STATES}
