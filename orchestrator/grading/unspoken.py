"""Identifiers that must not occur in anything that the agent writes, in whatever spelling."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from typing import Final

from companyos.sdk.scenario import Instance

from ..protocol.effects import Row

#: Letters of other scripts that look like Latin ones.
_LOOKALIKES: Final = str.maketrans(
    "АВЕКМНОРСТУХІЈЅавекмнорстухіјѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεικνορτυχη",
    "abekmhopctyxijsabekmhopctyxijshdqwabezhikmnoptyxabeikvoptuxn",
)
#: The names of characters that are one Latin letter, such as with a stroke, as a small capital, or in a white circle.
_LETTER: Final = re.compile(
    r".*(?:LATIN|INDICATOR SYMBOL)\b.* LETTER (?:(?:SMALL CAPITAL|DOTLESS) )?([A-Z])(?: WITH .*)?"
)
#: An identifier with so many letters and digits is recognized inside of a longer word, too.
_LONG: Final = 8
_GAP: Final = r"[\W_]*"
#: How the signs of an address are read out.
_SAID: Final = {"@": "at", ".": "dot"}


class Unspoken:
    """The texts that the agent of an episode has written, and what none of them may say.

    Args:
        instance: The task.
    """

    def __init__(self, instance: Instance) -> None:
        self._recognized = _Identifiers(instance.unspoken)
        self._ids = frozenset(_ids(instance)) if instance.unspoken else frozenset()
        self._texts: tuple[str, ...] = ()

    def columns_in(self, before: Row | None, row: Row | None, stated: Collection[str] = ()) -> frozenset[str]:
        """Note a write and return the columns that say an identifier, by themselves or after all earlier texts.

        Args:
            before: The row before the write; None if it is new.
            row: The row as the call left it; None if removed.
            stated: Values that its texts may repeat once each.
        """
        texts = self._new_texts(before or {}, row) if row and self._recognized else {}
        for value in stated:
            texts = {name: text.replace(value, "", 1) for name, text in texts.items()}
        columns = frozenset(
            name for name, text in texts.items() if self._recognized.are_in([*self._texts, text])
        )
        self._texts += tuple(text for name, text in texts.items() if name not in columns)
        return columns

    def copy(self) -> Unspoken:
        """Return an independent copy."""
        return copy(self)

    def _new_texts(self, before: Row, row: Row) -> Mapping[str, str]:
        """Return what a write says anew: no ids of the company, and nothing that the row has said already."""
        return {
            name: text
            for name, text in row.items()
            if isinstance(text, str) and text != (old := before.get(name)) and text not in self._ids
            if not (isinstance(old, str) and self._recognized.are_in([old]))
        }


class _Identifiers:
    """Recognizes identifiers, ignoring case, accents, separators, and letters that merely look alike.

    A name of several words is also recognized by all its words in any order.
    """

    def __init__(self, identifiers: Iterable[str]) -> None:
        folded = [_fold(one) for one in identifiers]
        self._patterns = [re.compile(_spelling(one)) for one in folded]
        self._names = [set(_words(one)) for one in folded if " " in one]

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def are_in(self, texts: Iterable[str]) -> bool:
        """Return whether one of them is in these texts, read one after the other."""
        text = _fold("\n".join(texts))
        words = set(_words(text))
        return any(one.search(text) for one in self._patterns) or any(one <= words for one in self._names)


def _ids(instance: Instance) -> Iterable[str]:
    return (str(row["id"]) for tables in instance.rows.values() for rows in tables.values() for row in rows)


def _fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.translate(_LOOKALIKES))
    shown = (one for one in decomposed if unicodedata.category(one) not in ("Mn", "Cf"))
    return "".join(one if one.isascii() else _plain(one) for one in shown).casefold()


def _plain(sign: str) -> str:
    """Return the digit or Latin letter that a character is, in whatever script or shape, or the character itself."""
    if (digit := unicodedata.digit(sign, None)) is not None:
        return str(digit)
    letter = _LETTER.fullmatch(unicodedata.name(sign, ""))
    return letter[1] if letter else sign


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def _spelling(identifier: str) -> str:
    """Return a pattern of an identifier with anything but letters and digits between its characters."""
    parts = (re.escape(one) if one.isalnum() else f"(?:{_SAID.get(one, '')})?" for one in identifier)
    spelled = _GAP.join(parts)
    if sum(map(str.isalnum, identifier)) >= _LONG:
        return spelled
    return rf"(?<![^\W_]){spelled}(?![^\W_])"
