"""OpenEnv's session telemetry (RFC 008): what a validator reads on the socket that it plays on.

It is for trainers, and only where the setting `validation_token` is set. The socket that opens it with that token gets
a capability of its own, and reads the seed, the rubric and the record of its resets, steps and states with it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Annotated, Any, Final

import orjson
from pydantic import ConfigDict, Field, StrictInt, StrictStr

from companyos.chassis.web.access import is_one_of

from ...protocol.problems import Refusal
from ..messages.models import Strict

MAX_BYTES: Final = 8 * 1024 * 1024
MAX_STEPS: Final = 100
MAX_RECORDS: Final = 202
#: What tells one run of an episode from another, and what lets an agent in: left out once the telemetry is open.
RUN_ONLY: Final = frozenset({"agent_token", "agent_urls", "episode_uid"})

Secret = Annotated[StrictStr, Field(min_length=32, max_length=256)]
Message = Mapping[str, Any]


class OpenData(Strict):
    """The validator's proof."""

    model_config = ConfigDict(hide_input_in_errors=True)

    schema_version: Annotated[StrictInt, Field(ge=1, le=1)]
    token: Secret


class ReadData(Strict):
    """The proof that this socket opened the telemetry."""

    model_config = ConfigDict(hide_input_in_errors=True)

    schema_version: Annotated[StrictInt, Field(ge=1, le=1)]
    capability: Secret


class SessionTelemetry:
    """The telemetry of one socket: closed, until a validator opens it before its first reset.

    Args:
        token: The token that opens it, or None if nothing does.
        owns_session: Whether the socket has a session of its own, which no one has played on.
    """

    def __init__(self, token: str | None, *, owns_session: bool) -> None:
        self._token = token if owns_session else None
        self._capability: str | None = None
        self._has_begun = False
        self._seed: Mapping[str, Any] | None = None
        self._rubric = [_root(None)]
        self._attribution: list[Mapping[str, Any]] = []
        self._records: list[orjson.Fragment] = []
        self._bytes = 0
        self._incomplete: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether a validator reads this socket's session."""
        return self._capability is not None

    def open(self, proof: OpenData) -> dict[str, Any]:
        """Open the telemetry and return the capability that reads it.

        Raises:
            Refusal: 403 validation_refused: the token is wrong, it is open already, or the session has been played on.
        """
        if self.is_open or self._has_begun or not is_one_of(proof.token, [self._token]):
            raise validation_refused()
        self._capability = secrets.token_urlsafe(32)
        return {"schema_version": 1, "capability": self._capability}

    def answer_to(self, proof: ReadData) -> dict[str, Any]:
        """Return the seed, the rubric, each step's attribution, and the record of all operations.

        Raises:
            Refusal: 403 validation_refused: the capability is not the one of this socket.
        """
        if not is_one_of(proof.capability, [self._capability]):
            raise validation_refused()
        return {
            "schema_version": 1,
            "seed": self._seed,
            "rubric": self._rubric,
            "rubric_error": None,
            "attribution": self._attribution,
            "trajectory": {
                "schema_version": 1,
                "source": "openenv-server",
                "records": self._records,
                "complete": self._incomplete is None,
                "reason": self._incomplete,
            },
        }

    def begin(self) -> None:
        """Note that the session is played on, so that its record can no longer be whole."""
        self._has_begun = True

    def without_varying_parts(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the data of an answer; once the telemetry is open, without what differs from run to run."""
        if not self.is_open:
            return data
        kept = {name: value for name, value in data.items() if name not in RUN_ONLY}
        return (
            {**kept, "metadata": self.without_varying_parts(kept["metadata"])} if "metadata" in kept else kept
        )

    def record(self, request: Message, answer: Message) -> None:
        """Keep an operation that was carried out, unless the record has reached a limit."""
        if not self.is_open or self._incomplete is not None:
            return
        operation = request["type"]
        kept = orjson.dumps({"operation": operation, "request": request, "response": answer})
        if self._is_full(operation, len(kept)):
            self._incomplete = "Session telemetry budget exceeded"
            return
        self._bytes += len(kept)
        self._records.append(orjson.Fragment(kept))
        if operation == "reset":
            self._seed = _seed(request.get("data", {}), answer["data"]["metadata"])
            self._rubric = [_root(None)]
        elif operation == "step":
            self._rubric = [_root(answer["data"]["reward"])]
            self._attribution.append({"step_index": len(self._attribution), "rubric": self._rubric})

    def _is_full(self, operation: str, size: int) -> bool:
        steps = len(self._attribution) + (operation == "step")
        return steps > MAX_STEPS or len(self._records) >= MAX_RECORDS or self._bytes + size > MAX_BYTES


def _seed(wanted: Message, metadata: Message) -> dict[str, Any]:
    """Return the seed that a reset asked for, accepted only if it is the one that the episode has."""
    seed = wanted.get("seed")
    return {"requested": "seed" in wanted, "value": seed, "accepted": seed == metadata["seed"]}


def _root(score: float | None) -> dict[str, Any]:
    """Return the rubric: one node, because a reward is a sum of lines that differ from step to step."""
    return {
        "name": "root",
        "class_name": "orchestrator.grading.grader.Grader",
        "children": [],
        "aggregation": "leaf",
        "config": {},
        "config_available": True,
        "score": score,
        "evaluated": score is not None,
    }


def validation_refused() -> Refusal:
    """Return the refusal of a message that opens or reads telemetry; it reveals none of the reasons."""
    detail = (
        "Validation unavailable or unauthorized. It needs OPENENV_VALIDATION_TOKEN where the server runs, "
        "and is opened on a socket of its own before the first reset."
    )
    return Refusal(403, "validation_refused", detail)
