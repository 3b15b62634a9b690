"""Documents that read themselves: a template writes every edition of a text, and its own words are the reader.

A field in braces holds what its format specification writes: `d` an integer, `g` and `f` a number, none a text of
one line. A field may also be a part: one of several wordings, or a list with a template for its items.
"""

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from string import Formatter
from typing import Any, TypeVar

T = TypeVar("T")
Fields = dict[str, Any]


class FieldForm(ABC):
    """What a field holds: how its text is written, recognized and read."""

    pattern: str  #: A regular expression of its text, without groups.

    @abstractmethod
    def write(self, name: str, fields: Mapping[str, Any]) -> str:
        """Return the text of the field with this name."""

    @abstractmethod
    def read(self, name: str, text: str) -> Fields:
        """Return the field of this name, and the fields within it, as a text states them."""


class Template:
    """A text with fields in braces, which it writes and reads back.

    Args:
        text: The text, with fields as in a format string.
        parts: The fields that are wordings or lists.
    """

    def __init__(self, text: str, **parts: FieldForm) -> None:
        self._text = text
        self._pieces = [(literal, name) for literal, name, _, _ in Formatter().parse(text)]
        self.parts: Mapping[str, FieldForm] = {
            name: parts.get(name) or Value(spec or "")
            for _, name, spec, _ in Formatter().parse(text)
            if name is not None
        }

    def write(self, **fields: Any) -> str:
        """Return the text with these fields, of which some may belong to wordings that are not chosen."""
        return "".join(
            literal + (self.parts[name].write(name, fields) if name else "") for literal, name in self._pieces
        )

    def read(self, text: str) -> Fields:
        """Return the fields of a text.

        Raises:
            LookupError: The text is not of this template.
        """
        match = self._regex.fullmatch(text)
        if match is None:
            raise LookupError(f"this is not of the form {self._text[:80]!r}")
        return self._fields(match)

    def find(self, text: str) -> Iterator[Fields]:
        """Yield the fields of every passage of a text that is of this template."""
        return (self._fields(match) for match in self._regex.finditer(text))

    @cached_property
    def pattern(self) -> str:
        """A regular expression of its texts, without groups."""
        return "".join(
            re.escape(literal) + (self.parts[name].pattern if name else "") for literal, name in self._pieces
        )

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        pattern, known = "", set[str]()
        for literal, name in self._pieces:
            pattern += re.escape(literal)
            if name:
                pattern += f"(?P={name})" if name in known else f"(?P<{name}>{self.parts[name].pattern})"
                known.add(name)
        return re.compile(pattern)

    def _fields(self, match: re.Match[str]) -> Fields:
        fields: Fields = {}
        for name, text in match.groupdict().items():
            fields |= self.parts[name].read(name, text)
        return fields


class Value(FieldForm):
    """A number in a format, or a text of one line without marks of code and tables."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.pattern = r"-?\d[\d,]*(?:\.\d+)?" if spec else r"[^`|\n]+?"

    def write(self, name: str, fields: Mapping[str, Any]) -> str:
        """Return the formatted value."""
        return format(fields[name], self.spec)

    def read(self, name: str, text: str) -> Fields:
        """Return the value in its type."""
        if not self.spec:
            return {name: text}
        number = text.replace(",", "")
        return {name: float(number) if self.spec[-1] in "fg" else int(number)}


class OneOf(FieldForm):
    """One of several wordings, chosen by the field's value; the fields of a wording are fields of the document."""

    def __init__(self, wordings: Mapping[Any, str | Template]) -> None:
        self.wordings = {key: _template(text) for key, text in wordings.items()}
        self.pattern = f"(?:{'|'.join(one.pattern for one in self.wordings.values())})"

    def write(self, name: str, fields: Mapping[str, Any]) -> str:
        """Return the wording of the value."""
        return self.wordings[fields[name]].write(**fields)

    def read(self, name: str, text: str) -> Fields:
        """Return the value that this is the wording of, and the fields in it."""
        for key, wording in self.wordings.items():
            with suppress(LookupError):
                return {name: key, **wording.read(text)}
        raise LookupError(f"no wording of {name} is {text!r}")


class Each(FieldForm):
    """A list with a template for its items; an item with a single field is that field's value."""

    def __init__(self, item: str | Template, between: str = "\n") -> None:
        self.item = _template(item)
        self.between = between
        self.pattern = f"(?:{self.item.pattern}(?:{re.escape(between)}{self.item.pattern})*)?"

    def write(self, name: str, fields: Mapping[str, Any]) -> str:
        """Return the items, one after another."""
        return self.between.join(self.item.write(**self._fields_by_name(one)) for one in fields[name])

    def read(self, name: str, text: str) -> Fields:
        """Return the items."""
        items = [self.item.read(one) for one in text.split(self.between)] if text else []
        return {name: [one[self.field] if self.field else one for one in items]}

    def _fields_by_name(self, item: Any) -> Fields:
        return {self.field: item} if self.field else dict(item)

    @property
    def field(self) -> str | None:
        """The only field of an item, if it is a value."""
        (name, part), *others = self.item.parts.items()
        return None if others or not isinstance(part, Value) else name


def templates(*texts: str) -> tuple[Template, ...]:
    """Return the wordings of a text that has several."""
    return tuple(Template(text) for text in texts)


def read_any(wordings: Iterable[Template], text: str) -> Fields | None:
    """Return the fields of a text by the first template that it is of; None if it is of none."""
    for template in wordings:
        with suppress(LookupError):
            return template.read(text)
    return None


def facts_of(kind: type[T], fields: Fields) -> T:
    """Return the dataclass whose facts a text states; those that it does not state have their defaults."""
    return kind(**{one.name: fields[one.name] for one in dataclasses.fields(kind) if one.name in fields})  # type: ignore[arg-type]


def _template(text: str | Template) -> Template:
    return text if isinstance(text, Template) else Template(text)
