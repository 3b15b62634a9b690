"""Identifiers that must not occur in anything that the agent writes, in whatever spelling."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import copy

from companyos.sdk.grading.identifiers import Identifiers
from companyos.sdk.scenario import Instance

from ..protocol.effects import Row


class Unspoken:
    """The texts that the agent of an episode has written, and what none of them may say.

    Args:
        instance: The task.
    """

    def __init__(self, instance: Instance) -> None:
        self._recognized = Identifiers(instance.unspoken)
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


def _ids(instance: Instance) -> Iterable[str]:
    return (str(row["id"]) for tables in instance.rows.values() for rows in tables.values() for row in rows)
