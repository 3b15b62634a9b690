"""How a service's pages look, as data: the orchestrator renders them from its tools' results."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class PageLayout:
    """The page of an operation. What a layout leaves open follows from the operations' paths and schemas.

    Attributes:
        operation: The operation whose result the page shows.
        title: Its name in menus; empty for the operation's own.
        columns: The fields that a list shows, in order, empty for all; or those that a form asks for first.
        opens: The operation that a row leads to; empty for the one that reads the list's objects by id.
        heading: The field that names the object; empty for its id.
        text: The field that holds the object's text, which its page shows first, as a document. In the layout of a
            list, the rows are such texts, below each other.
        actions: The forms about the object that its page shows, the most common one first; others are under *More*.
        ids: What the ids of its objects start with, so that pages link to them.
        fields: The fields of any object or form that name one of its objects, if an id tells nothing of its kind; with
            a star at the beginning, all that end so. In the layout of a list, those that name one of its rows.
        parts: The fields that get room on the object's page whatever their length, in order.
        measure: The fields of the object's main number and of its unit.
        main_actions: The form that is usually next, by the object's status; empty for the first of `actions` always.
        asks_first: Whether the page shows its form before it is called, as a search does that needs words.
        menu: Entries of the menu beside its own: what each is called, and the arguments it gives.
    """

    operation: str
    title: str = ""
    columns: Sequence[str] = ()
    opens: str = ""
    heading: str = ""
    text: str = ""
    actions: Sequence[str] = ()
    ids: str = ""
    fields: Sequence[str] = ()
    parts: Sequence[str] = ()
    measure: Sequence[str] = ()
    main_actions: Mapping[str, str] = field(default_factory=dict)
    asks_first: bool = False
    menu: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def layout_documents(layouts: Sequence[PageLayout], operations: Collection[str]) -> list[dict[str, Any]]:
    """Return layouts as the manifest hands them over.

    Args:
        layouts: The layouts of a service.
        operations: The operations of its tools.

    Raises:
        ValueError: A layout names an operation that is no tool.
    """
    named = {name for each in layouts for name in _operations_of(each) if name}
    if unknown := sorted(named - set(operations)):
        raise ValueError(f"pages are laid out for operations that are no tools: {', '.join(unknown)}")
    return [asdict(layout) for layout in layouts]


def _operations_of(layout: PageLayout) -> tuple[str, ...]:
    return (layout.operation, layout.opens, *layout.actions, *layout.main_actions.values())
