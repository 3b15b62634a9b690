"""The tool calls and waits of scripted agents: the one place that makes calls and handles their failures."""

import re
from collections.abc import Generator, Iterable, Mapping
from typing import Any, TypeVar

from companyos.sdk.actions import Action, Observation, call
from companyos.sdk.simtime import MINUTE, from_iso, to_iso

T = TypeVar("T")
Play = Generator[Action, Observation, T]
Answer = Any


class Refused(Exception):
    """A tool refused unexpectedly."""

    def __init__(self, action: Action, error: Mapping[str, Any]) -> None:
        super().__init__(f"{action['tool_name']}: {error['code']}: {error['message']}")
        self.code = error["code"]
        self.facts = error
        self.tool = action["tool_name"]
        self.service = _service(action)


class Asker:
    """Calls tools for a script; reads the brief and the tools once, clock and versions from each answer."""

    def __init__(self, observation: Observation) -> None:
        self.now = from_iso(observation["sim_now"])
        self.text = str(observation["text"])
        self.id = self.from_brief(r"\(([a-z.]+)\)")
        self._takes = {
            tool["name"]: frozenset(tool["input_schema"]["properties"])
            for tool in observation.get("tools") or ()
        }
        self._asked = 0
        self._versions: dict[tuple[str, str, frozenset[str]], int] = {}

    @property
    def ticket_id(self) -> str:
        """The first ticket that the brief names.

        Raises:
            LookupError: The brief names no ticket.
        """
        return self.from_brief(r"\b(TD-\d+)\b")

    def from_brief(self, pattern: str) -> str:
        """Return what a group matches in the brief.

        Raises:
            LookupError: The brief says nothing like it.
        """
        match = re.search(pattern, self.text)
        if match is None:
            raise LookupError(f"the brief says nothing like {pattern}")
        return match[1]

    def ask(self, tool_name: str, **arguments: Any) -> Play[Answer]:
        """Call a tool until it succeeds, and return its complete answer.

        Temporary failures are retried. A change carries an idempotency key, so it takes effect once even if
        the outcome of an earlier attempt is unknown.

        Raises:
            Refused: The tool refused.
        """
        self._asked += 1
        key = {"idempotency_key": f"call-{self._asked}"} if self._can(tool_name, "idempotency_key") else {}
        action = call(tool_name, **arguments, **key)
        answer = yield from self._answered(action)
        return (yield from self._whole(action, answer))

    def wait_until(self, instant: int) -> Play[None]:
        """Wait until this time, for at least a minute; return at once if it has passed."""
        if instant > self.now:
            yield from self.ask("wait", until=to_iso(max(instant, self.now + MINUTE)))

    def finish(self, answer: Any) -> Play[None]:
        """Finish the task with a sentence, or with the typed answer that the task asks for."""
        yield from self.ask("finish", answer=answer)

    def redrive(self, service: str, letter: Answer, publisher: Answer) -> Play[None]:
        """Have a service apply a dead letter, with the value that it lacks as the object of its publisher shows it."""
        field = letter["required_field"]
        corrections = {field: publisher[field]}
        try:
            yield from self.ask(
                f"{service}_redrive_dead_letter", letter_id=letter["id"], corrections=corrections
            )
        except Refused as refused:
            # A list may still show a letter that was delivered in the meantime.
            if refused.code != "dead_letter_unknown":
                raise

    def _answered(self, action: Action) -> Play[Answer]:
        """Call until the call succeeds; if it is asynchronous, wait for the result."""
        while True:
            observation = yield action
            self.now = from_iso(observation["sim_now"])
            if (error := observation["error"]) is not None:
                yield from self._overcome(action, error)
            elif _is_accepted(observation["result"]):
                return (yield from self._result_of(action, observation["result"]["operation_id"]))
            else:
                return observation["result"]

    def _overcome(self, action: Action, error: Mapping[str, Any]) -> Play[None]:
        """Do what a retry requires, or raise if a retry is pointless."""
        if error["code"] == "session_expired":
            yield from self.ask("renew_session", service=_service(action))
        elif not error["retryable"]:
            raise Refused(action, error)
        elif "retry_after_s" in error:
            yield from self.wait_until(self.now + error["retry_after_s"])

    def _result_of(self, action: Action, operation_id: str) -> Play[Answer]:
        """Wait for an operation to end and return its result."""
        operation = yield from self.ask("get_operation", operation_id=operation_id)
        while operation["status"] == "running":
            yield from self.wait_until(from_iso(operation["ready_at"]))
            operation = yield from self.ask("get_operation", operation_id=operation_id)
        if operation["status"] == "failed":
            raise Refused(action, operation["error"])
        return operation["result"]

    def _whole(self, action: Action, answer: Answer) -> Play[Answer]:
        """Complete an answer: resume a stopped operation, fetch omitted items, replace stale reads."""
        while isinstance(answer, Mapping):
            if _is_incomplete(answer):
                yield from self.ask("resume_operation", operation_id=answer["operation"]["id"])
                answer = {name: value for name, value in answer.items() if name != "operation"}
            elif answer.get("partial") and "items" in answer:
                rest = yield from self._answered(_with(action, cursor=answer["next_cursor"]))
                answer = {**rest, "items": [*answer["items"], *rest["items"]]}
            elif answer.get("partial"):
                answer = yield from self._answered(action)
            elif (known := self._newest_known(action, answer)) is not None:
                can = self._can(action["tool_name"], "min_version")
                answer = yield from self._answered(_with(action, min_version=known) if can else action)
            else:
                break
        return answer

    def _newest_known(self, action: Action, answer: Answer) -> int | None:
        """Return the newest known version of an object that is shown in an older one; remember all others."""
        for one in _objects(answer):
            object_key = (_service(action), one["id"], frozenset(one))
            if one["version"] < self._versions.get(object_key, 0):
                return self._versions[object_key]
            self._versions[object_key] = one["version"]
        return None

    def _can(self, tool_name: str, argument: str) -> bool:
        return argument in self._takes.get(tool_name, ())


def _service(action: Action) -> str:
    return str(action["tool_name"]).partition("_")[0]


def _with(action: Action, **arguments: Any) -> Action:
    return {**action, "arguments": {**action["arguments"], **arguments}}


def _is_accepted(result: Answer) -> bool:
    return isinstance(result, Mapping) and result.get("status") == "accepted" and "operation_id" in result


def _is_incomplete(answer: Mapping[str, Any]) -> bool:
    operation = answer.get("operation")
    return isinstance(operation, Mapping) and operation.get("status") == "incomplete"


def _objects(answer: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    shown = answer.get("items", [answer])
    return [one for one in shown if isinstance(one, Mapping) and "id" in one and "version" in one]
