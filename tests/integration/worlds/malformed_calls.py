"""Actions of an agent out of its mind: any tool with any arguments, sensible, malformed, or no action at all."""

from typing import Any

from companyos.sdk.scenario import Action, Observation, call

from .plausible_calls import WAITS, PlausibleCaller

HUGE = "x" * 5_000
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**62,
    1.5,
    "",
    " ",
    HUGE,
    "\u202e\u00e9\u0302 \ufdfd",
    "a\u0000b",
    "../../tickets",
    "' OR true --",
    "TD-0",
    "V-999999",
    "nobody.here",
    [],
    ["TD-1", None],
    {},
    {"a": {"b": [1, {"c": HUGE}]}},
)
STRANGE = ("anything", "version", "idempotency_key", "layer_id", "world")
#: Things that are no actions at all: they are refused and cost no step.
NO_ACTIONS: tuple[Any, ...] = (
    None,
    7,
    [],
    "finish",
    {},
    {"tool_name": 3},
    {"tool_name": "wait", "arguments": {"seconds": float("nan")}},
    {"tool_name": "wait", "arguments": {"seconds": 2**70}},
)
#: What a model says that means to call: each is a step, whether or not it can be carried out.
SLIPS: tuple[Any, ...] = (
    {"tool_name": "wait", "arguments": []},
    {"tool_name": "wait", "arguments": '{"seconds": 60}'},
    {"tool_name": "wait", "arguments": "an hour"},
    {"tool_name": "wait", "reward": 15.0},
    {"type": "invalid", "raw": "I would now close TD-1."},
)
UNKNOWN = ("datahub_drop_tables", "wait_", "", "ticketdesk_verify", "approvalflow.submit_approval", "reset")


class MalformedCaller:
    """Draws actions; equal clerks and observations give equal actions. It never ends the episode by itself."""

    def __init__(self, clerk: PlausibleCaller) -> None:
        self._clerk = clerk
        self._random = clerk.random

    def act(self, observation: Observation) -> Any:
        """Return the next action, or something that is none."""
        self._clerk.see(observation)
        kinds = {
            self._clerk.planned: 5,
            self._sensible: 6,
            self._malformed: 4,
            self._waiting: 2,
            self._unknown: 1,
            self._no_action: 1,
            self._slip: 1,
        }
        return self._random.choices(list(kinds), list(kinds.values()))[0]()

    def _sensible(self) -> Action:
        return self._clerk.call_of(self._random.choice(self._clerk.tools))

    def _malformed(self) -> Action:
        action = self._sensible()
        arguments = dict(action["arguments"])
        for _ in range(self._random.randint(1, 2)):
            name = self._random.choice([*arguments, *STRANGE])
            if name in arguments and self._random.random() < 0.3:
                del arguments[name]
            else:
                arguments[name] = self._random.choice(VALUES)
        return call(action["tool_name"], **arguments)

    def _waiting(self) -> Action:
        return call("wait", seconds=self._random.choice(WAITS))

    def _unknown(self) -> Action:
        return call(self._random.choice(UNKNOWN), ticket_id="TD-1", anything=HUGE)

    def _no_action(self) -> Any:
        return self._random.choice(NO_ACTIONS)

    def _slip(self) -> Any:
        return self._random.choice(SLIPS)
