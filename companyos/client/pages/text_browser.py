"""A browser of text: reads the pages of the agent API as a numbered outline, and acts on them by number.

Actions have the names of BrowserGym. Pages run no script, so that what is in their HTML is all there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlencode, urljoin

import httpx

from ..server import Server
from .actions import BrowserActionError, address_of, parse_action, perform

#: The role of each element that an outline names, as assistive technology calls it.
_ROLES: Final[Mapping[str, str]] = {
    "a": "link",
    "button": "button",
    "input": "textbox",
    "textarea": "textbox",
    "select": "combobox",
    "h1": "heading",
    "h2": "heading",
    "tr": "row",
    "dt": "term",
    "li": "item",
    "p": "",
    "div": "",
    "dd": "",
    "br": "",
}
_CONTROLS: Final = frozenset({"a", "button", "input", "textarea", "select"})
#: Elements whose text begins a new line.
_LINES: Final = frozenset(_ROLES) - _CONTROLS
_UNSEEN: Final = frozenset({"title", "head", "style", "summary", "caption"})
#: Elements whose text goes on in the same word or sentence.
_INLINE: Final = frozenset({"code", "strong", "small", "span", "time"})
_CELLS: Final = frozenset({"td", "th"})
#: What stands between the cells of a row.
CELL: Final = " | "
TIMEOUT_S: Final = 60.0


@dataclass
class PageForm:
    """A form of a page: its target, and the values of its unseen fields."""

    method: str
    action: str
    carried: dict[str, str] = field(default_factory=dict)


@dataclass
class Element:
    """Something on a page that can be acted on.

    Attributes:
        label: What the page calls it.
        value: What it holds, or what a button says.
        href: Where it leads, unless to where its form does.
        options: The values to choose from, by their labels.
    """

    tag: str
    label: str = ""
    name: str = ""
    value: str = ""
    href: str = ""
    form: PageForm | None = None
    options: dict[str, str] = field(default_factory=dict)

    def line(self, number: int) -> str:
        """Return the element as the outline shows it."""
        value = f" = {self.value!r}" if self.name and self.value and self.tag != "button" else ""
        options = f" of {', '.join(map(repr, self.options))}" if self.options else ""
        return f"[{number}] {_ROLES[self.tag]} {' '.join(self.label.split())!r}{value}{options}"


class _Page(HTMLParser):
    """Reads a page into its elements and the lines of its outline, in which an element stands for its number."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.title = ""
        self.elements: list[Element] = []
        self._lines: dict[bool, list[list[str | int]]] = {True: [[]], False: [[]]}
        self._labels: dict[str, str] = {}
        self._open: list[str] = []
        self._in_main = self._begins_row = False
        self._form: PageForm | None = None
        self._element: Element | None = None
        self._labelled = self._option = ""
        self.feed(html)

    @property
    def outline(self) -> str:
        """The main part of the page first, then the rest."""
        lines = [*self._lines[True], *self._lines[False]]
        return "\n".join(filter(None, map(self._text_of, lines)))

    def _text_of(self, line: Sequence[str | int]) -> str:
        shown = ""
        for part in line:
            text = (
                re.sub(r"\s+", " ", part) if isinstance(part, str) else f" {self.elements[part].line(part)} "
            )
            shown += text.lstrip() if shown.endswith(" ") else text
        return shown.strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self._open.append(tag)
        self._separate(tag)
        if tag == "main":
            self._in_main = True
        elif tag == "form":
            self._form = PageForm(found["method"], found["action"])
        elif tag == "label":
            self._labelled = found["for"]
        elif tag == "option" and self._element is not None:
            self._option = found["value"]
            self._element.options[""] = self._option
            if "selected" in found or len(self._element.options) == 1:
                self._element.value = self._option
        elif tag == "input" and found.get("type") == "hidden" and self._form is not None:
            self._form.carried[found["name"]] = found["value"]
        elif tag in _CONTROLS and found.get("aria-hidden") != "true":
            self._begin(tag, found)
        elif tag in _LINES:
            self._lines[self._in_main].append([f"{_ROLES[tag]} "] if _ROLES[tag] else [])
            self._begins_row = tag == "tr"

    def _separate(self, tag: str) -> None:
        """Keep the text of an element apart from the text before it."""
        if tag in _CELLS:
            self._lines[self._in_main][-1].append(" " if self._begins_row else CELL)
            self._begins_row = False
        elif tag not in _INLINE:
            self._lines[self._in_main][-1].append(" ")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass
        if tag == "main":
            self._in_main = False
        elif tag == "form":
            self._form = None
        elif tag == "label":
            self._labelled = ""
        elif tag in _CONTROLS:
            self._element = None

    def handle_data(self, data: str) -> None:
        text, within = " ".join(data.split()), self._open[-1:]
        if within == ["title"]:
            self.title += text
        elif within == ["option"] and self._element is not None:
            self._element.options[text] = self._element.options.pop("", self._option)
        elif within == ["textarea"] and self._element is not None:
            self._element.value += data.removeprefix("\n") if not self._element.value else data
        elif self._element is not None:
            self._element.label += data
        elif self._labelled:
            self._labels[self._labelled] = self._labels.get(self._labelled, "") + data
        elif not _UNSEEN & set(self._open):
            self._lines[self._in_main][-1].append(data)

    def _begin(self, tag: str, found: Mapping[str, str]) -> None:
        label = found.get("aria-label") or self._labels.get(found.get("id", ""), "")
        form = None if tag == "a" else self._form
        href = found.get("href") or found.get("formaction", "")
        element = Element(tag, label, found.get("name", ""), found.get("value", ""), href, form)
        self._lines[self._in_main][-1].append(len(self.elements))
        self.elements.append(element)
        self._element = None if tag == "input" else element


class TextBrowser:
    """A browser of the pages of one episode.

    Attributes:
        url: The address of the page.
        title: Its title.
        status: Its HTTP status.
        elements: What can be acted on, by number.

    Args:
        url: The address of the pages, `agent_urls["web"]`.
        token: The agent's token.
        transport: How requests are sent, if not over the network.
    """

    def __init__(self, url: str, token: str, transport: httpx.BaseTransport | None = None) -> None:
        headers, server = {"Authorization": f"Bearer {token}", "Accept": "text/html"}, Server(url)
        way = server.route_options if transport is None else {"transport": transport}
        with server.proxy_named():
            self._client = httpx.Client(headers=headers, timeout=TIMEOUT_S, **way)
        self._home, self._past = str(httpx.URL(url)), list[str]()
        self.url, self.status = url, 0
        self._page = _Page("")

    def __enter__(self) -> Self:
        self.goto(self._home)
        return self

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def title(self) -> str:
        """The title of the page."""
        return self._page.title

    @property
    def elements(self) -> list[Element]:
        """What can be acted on, by number."""
        return self._page.elements

    @property
    def outline(self) -> str:
        """The page as text, each element that can be acted on with its number."""
        return self._page.outline

    def act(self, action: str) -> None:
        """Carry out an action written as a call, such as `click(3)` or `fill(5, "high")`.

        Raises:
            BrowserActionError: There is no such action or element.
        """
        self.perform(*parse_action(action))

    def perform(self, name: str, arguments: Sequence[Any]) -> None:
        """Carry out an action by its name.

        Raises:
            BrowserActionError: There is no such action or element.
        """
        actions: Mapping[str, Callable[..., None]] = {
            "click": self.click,
            "fill": self.fill,
            "select_option": self.select_option,
            "goto": self.goto,
            "go_back": self.go_back,
            "noop": lambda: None,
        }
        perform(actions, name, arguments)

    def goto(self, url: str) -> None:
        """Open an address, relative to the page; others than the pages' own are refused."""
        target = address_of(url, self.url, self._home)
        self._past.append(self.url)
        self._show(self._client.get(target))

    def go_back(self) -> None:
        """Open the page before this one again."""
        self._show(self._client.get(self._past.pop() if self._past else self._home))

    def click(self, number: int | str) -> None:
        """Follow a link, or submit the form of a button."""
        element = self._element(number, "a", "button")
        if element.form is None:
            self.goto(element.href)
            return
        form = element.form
        held = {
            each.name: each.value
            for each in self.elements
            if each.form is form and each.name and (each.tag != "button" or each is element)
        }
        values, action = {**held, **form.carried}, element.href or form.action
        if form.method == "get":
            self.goto(f"{action}?{urlencode({name: value for name, value in values.items() if value})}")
        else:
            self._past.append(self.url)
            self._show(self._client.post(urljoin(self.url, action), data=values))

    def fill(self, number: int | str, text: str) -> None:
        """Write text into a field instead of what it holds."""
        self._element(number, "input", "textarea").value = str(text)

    def select_option(self, number: int | str, option: str) -> None:
        """Choose an option by its label or its value."""
        element = self._element(number, "select")
        value = element.options.get(option, option)
        if value not in element.options.values():
            raise BrowserActionError(f"{option!r} is none of {', '.join(map(repr, element.options))}.")
        element.value = value

    def _element(self, number: int | str, *tags: str) -> Element:
        numbered = {str(at): each for at, each in enumerate(self.elements)}
        found = numbered.get(str(number))
        if found is None or found.tag not in tags:
            kinds = " or ".join(dict.fromkeys(_ROLES[tag] for tag in tags))
            raise BrowserActionError(f"[{number}] is no {kinds} of this page.")
        return found

    def _show(self, response: httpx.Response) -> None:
        self.url, self.status, self._page = str(response.url), response.status_code, _Page(response.text)
