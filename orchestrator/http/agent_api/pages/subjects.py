"""What a page is about: an object, its other pages, the forms about it, and what helps after a refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ....agent.tools import RENEW_SESSION, WAIT, Tool
from .choosing import Choice
from .fields import label_of
from .formats import is_empty, is_slug, number
from .site import Site, href, is_page, parameter_of

#: The most forms of an object that its page shows; the others are under *More*.
_SHOWN_FORMS: Final = 3
#: A longer address to go back to is cut off: what was typed there last is lost.
LONGEST_BACK: Final = 2000
#: What of an error its alert says in words of its own, or not at all.
_ALERT_PARTS: Final = frozenset({"error_type", "code", "message", "retryable", "field", "retry_after_s"})


@dataclass(frozen=True)
class ObjectActions:
    """The forms about an object, each as its label and its address.

    Attributes:
        shown: Those on its page.
        more: Those under *More*.
        has_primary: Whether the first one is what is done next.
    """

    shown: Sequence[tuple[str, str]] = ()
    more: Sequence[tuple[str, str]] = ()
    has_primary: bool = False


@dataclass(frozen=True)
class AlertForm:
    """A button in an alert, which calls a tool.

    Attributes:
        carried: The tool's arguments, as texts.
        back: The page that the tool's page leads back to, if it is another one.
    """

    label: str
    tool: str
    carried: Mapping[str, str]
    back: str = ""


@dataclass(frozen=True)
class Alert:
    """What helps after a refusal.

    Attributes:
        facts: What the error says besides its message.
        links: Pages that help, by label.
        forms: Calls that help.
    """

    facts: Mapping[str, Any]
    links: Sequence[tuple[str, str]]
    forms: Sequence[AlertForm]


class Subject:
    """The object that a tool's page is about, if any.

    Attributes:
        tool: The tool.
        offered: The agent's tools.
        address: The object's id, by the parameter that takes it; empty if the page is about none.
        layout: The layout of the object's own page.

    Args:
        site: The pages of all tools.
        values: The texts in the tool's form.
        result: The result of its call, if it was made.
    """

    def __init__(
        self, site: Site, offered: Mapping[str, Tool], tool: Tool, values: Mapping[str, str], result: Any
    ) -> None:
        self.tool, self.offered, self.site = tool, offered, site
        self._shown_by, self._found = site.subject(tool), result if isinstance(result, Mapping) else {}
        self.layout = site.layout(self._shown_by or tool)
        key = parameter_of(self._shown_by or tool)
        named = key and (values.get(key) or (self._found.get("id") if self._shown_by else None))
        self.address = {key: str(named)} if key and named else {}

    @property
    def id(self) -> str | None:
        """The object's id."""
        return next(iter(self.address.values()), None)

    @property
    def heading(self) -> str | None:
        """The object's name, in words; None if its result has none."""
        name = self._found.get(self.layout.heading) if self.layout.heading else None
        if is_empty(name):
            return None
        return label_of(str(name)) if is_slug(name) else str(name)

    @property
    def page(self) -> Tool | None:
        """The tool that shows the object."""
        return self._if_offered(self._shown_by)

    @property
    def list(self) -> Tool | None:
        """The list that has the object."""
        return self._if_offered(self.site.list_above(self._shown_by or self.tool))

    @property
    def tabs(self) -> Sequence[tuple[str, str]]:
        """The titles and addresses of all pages about the object; the address of the page itself is empty."""
        if not self.address or not (is_page(self.tool) or self._found):
            return []
        others, _ = self.site.beside(self._shown_by or self.tool, self.offered)
        tabs = [self.page, *others] if self.page else others
        titles = {each.name: "Overview" if each is self.page else self.site.title(each) for each in tabs}
        return [(titles[each.name], "" if each is self.tool else href(each, self.address)) for each in tabs]

    @cached_property
    def actions(self) -> ObjectActions:
        """The forms about the object; on another page about it, those that belong there come first."""
        if not self.address:
            return ObjectActions()
        _, forms = self.site.beside(self._shown_by or self.tool, self.offered)
        forms = [each for each in forms if each is not self.tool]
        is_own = self.tool is self._shown_by
        here = [each.operation for each in forms if each.path == self.tool.path and not is_own]
        chosen = here or self._usual_actions()
        forms.sort(key=lambda each: chosen.index(each.operation) if each.operation in chosen else len(chosen))
        count = sum(each.operation in chosen for each in forms) or _SHOWN_FORMS
        links = [(self._label(each), href(each, self._form_values(each))) for each in forms]
        is_next = bool(here) or self.layout.main_action(self._found.get("status")) in chosen[:1]
        return ObjectActions(links[:count], links[count:], is_next)

    def _usual_actions(self) -> Sequence[str]:
        main = self.layout.main_action(self._found.get("status"))
        return list(dict.fromkeys(filter(None, (main, *self.layout.actions))))[:_SHOWN_FORMS]

    def _label(self, form: Tool) -> str:
        """Return what a form is called beside its object, which needs no name there."""
        return self.site.title(form).removesuffix(f" {label_of(next(iter(self.address))).lower()}")

    def _form_values(self, form: Tool) -> dict[str, Any]:
        version = {"version": self._found.get("version")} if "version" in form.places else {}
        return {**self.address, **version}

    def _if_offered(self, tool: Tool | None) -> Tool | None:
        return tool if tool is not None and tool.name in self.offered else None


def alert_of(
    subject: Subject,
    values: Mapping[str, str],
    error: Mapping[str, Any],
    here: str,
    choice: Choice | None = None,
) -> Alert:
    """Return what helps after a refusal: links, and forms that lead back to the page.

    Args:
        subject: What the page is about.
        values: The texts in the form of its tool.
        error: The refusal.
        here: The address of the page.
        choice: The form that waits for a value of the page's list.
    """
    remedy, links = error.get("remedy"), list[tuple[str, str]]()
    form = _form_of(subject.tool, error, here[:LONGEST_BACK])
    helper = subject.offered.get(str(remedy))
    if form is None and helper:
        known = subject.address if parameter_of(helper) in subject.address else {}
        links.append((subject.site.title(helper), href(helper, known)))
    forms = [form] if form is not None and form.tool in subject.offered else []
    if choice and error["retryable"]:
        forms.append(AlertForm("Try again", subject.tool.name, {**values, **choice.carried}))
    elif error["retryable"] and is_page(subject.tool):
        links.append(("Try again", href(subject.tool, values)))
    facts = {name: value for name, value in error.items() if name not in _ALERT_PARTS and value != remedy}
    return Alert(facts, links, forms)


def _form_of(tool: Tool, error: Mapping[str, Any], back: str) -> AlertForm | None:
    """Return the call that helps after a refusal, or None."""
    seconds = error.get("retry_after_s")
    if error["code"] == "session_expired" and tool.service:
        return AlertForm("Sign in again", RENEW_SESSION.name, {"service": tool.service}, back)
    if error.get("remedy") == WAIT.name and seconds and tool.name != WAIT.name:
        return AlertForm(f"Wait {number(seconds, 'wait_s')}", WAIT.name, {"seconds": str(seconds)}, back)
    return None
