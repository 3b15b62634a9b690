"""A company on paper: what tools answer from facts written by hand, so that an agent's decision can be read off.

No service is behind it. A subclass has a method for each tool that its agents use, which answers as the
description of the tool says.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from companyos.scenario import Action, Observation, Script
from companyos.sdk.asking import Asker, Play
from companyos.sdk.simtime import from_iso, to_iso

T = TypeVar("T")
Shown = dict[str, Any]


class Refusal(Exception):
    """A tool refuses with this code."""


class Paper:
    """A company on paper.

    Attributes:
        now: The time, which only `wait` moves.
        documents: The library, in the order in which a search finds it.
        calls: The calls so far: tools with their arguments.
    """

    def __init__(self, now: int, text: str, documents: list[Shown]) -> None:
        self.now = now
        self.text = text
        self.documents = documents
        self.calls: list[tuple[str, Shown]] = []

    def worked_by(self, agent: Callable[[Observation], Script]) -> None:
        """Let an agent work until it finishes or refuses."""
        self._play(agent(self._shown(None)))

    def told(self, play: Callable[[Asker], Play[T]]) -> T:
        """Return what an agent finds out."""
        found: T = self._play(play(Asker(self._shown(None))))
        return found

    def called(self, tool_name: str) -> list[Shown]:
        """Return the arguments of every call of a tool, oldest first."""
        return [arguments for name, arguments in self.calls if name == tool_name]

    def wait(self, *, until: str) -> Shown:
        self.now = max(self.now, from_iso(until))
        return {}

    def datahub_search_documents(self, *, q: str, kind: str, limit: int, status: str | None = None) -> Shown:
        words = [part for part in q.split('"') if part.strip()] if '"' in q else q.split()
        found = [
            one
            for one in self.documents
            if one["kind"] == kind
            and status in (None, one["status"])
            and all(word.casefold() in f"{one['title']} {one['body']}".casefold() for word in words)
        ]
        return {
            "items": [{name: value for name, value in one.items() if name != "body"} for one in found[:limit]]
        }

    def datahub_get_document(self, *, document_id: str) -> Shown:
        return next(one for one in self.documents if one["id"] == document_id)

    def _play(self, script: Any) -> Any:
        try:
            action: Action = next(script)
            while action["tool_name"] != "refuse":
                action = script.send(self._answer(action))
            self.calls.append((action["tool_name"], action["arguments"]))
        except StopIteration as ended:
            return ended.value

    def _answer(self, action: Action) -> Observation:
        tool_name, arguments = action["tool_name"], action["arguments"]
        self.calls.append((tool_name, arguments))
        if tool_name == "finish":
            return self._shown({})
        try:
            return self._shown(getattr(self, tool_name)(**arguments))
        except Refusal as refusal:
            return self._shown(None, {"code": str(refusal), "message": "…", "retryable": False})

    def _shown(self, result: Any, error: Shown | None = None) -> Observation:
        return {"sim_now": to_iso(self.now), "text": self.text, "result": result, "error": error}


def as_shown(row: Shown) -> Shown:
    """Return a document's row as DataHub shows it."""
    since = row["effective_from"]
    return {
        **{name: value for name, value in row.items() if name != "version"},
        "written_at": to_iso(row["written_at"]),
        "effective_from": None if since is None else to_iso(since),
    }


def document(document_id: str, kind: str, title: str, body: str, written_at: int, **columns: Any) -> Shown:
    """Return a document as DataHub shows it: in force from the day it was written, unless columns say otherwise."""
    usual: Shown = {"author": "hanna.head", "status": "in_force", "effective_from": None}
    row = {"id": document_id, "kind": kind, "title": title, "body": body, "written_at": written_at}
    return as_shown({**row, **usual, **columns})
