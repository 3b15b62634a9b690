"""The catalog entry of a fault: its id, layer, reach, parameters, bounds and texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import ceil
from typing import Any, Final


class Layer(StrEnum):
    """The place of a fault: in the company, in a call to a service, or between services."""

    BUSINESS = "business"
    SERVICE = "service"
    EVENT = "event"


class FaultId(StrEnum):
    """The existing faults; a name never changes once published."""

    MISSING_FIELD = "biz.missing_field"
    BLOCKED_TICKET = "biz.blocked_ticket"
    STALE_METRIC = "biz.stale_metric"
    EXPIRING_VALUE = "biz.expiring_value"
    CONFLICTING_RECORDS = "biz.conflicting_records"
    DUPLICATE_ENTITY = "biz.duplicate_entity"
    OOO_APPROVER = "biz.ooo_approver"
    RANDOM_REJECTION = "biz.random_rejection"
    SEPARATION_OF_DUTY = "biz.separation_of_duty"
    POLICY_DRIFT = "biz.policy_drift"
    SCHEMA_DRIFT = "biz.schema_drift"
    PERMISSION_GAP = "biz.permission_gap"
    IRREVERSIBLE_TRAP = "biz.irreversible_trap"
    MISLEADING_TEXT = "biz.misleading_text"
    INJECTED_INSTRUCTION = "biz.injected_instruction"

    LATENCY = "svc.latency"
    HTTP_5XX = "svc.http_5xx"
    HTTP_429 = "svc.http_429"
    TIMEOUT_BEFORE = "svc.timeout_before"
    LOST_ACK = "svc.lost_ack"
    CONN_RESET = "svc.conn_reset"
    SLOW_CLOSE = "svc.slow_close"
    TRUNCATED_BODY = "svc.truncated_body"
    STALE_REPLICA = "svc.stale_replica"
    PARTIAL_WRITE = "svc.partial_write"
    PARTIAL_RESPONSE = "svc.partial_response"
    WRONG_CONTENT = "svc.wrong_content"
    SLOW_ENDPOINT = "svc.slow_endpoint"
    READ_ONLY = "svc.read_only"
    RESTART = "svc.restart"
    AUTH_EXPIRY = "svc.auth_expiry"
    BROWNOUT = "svc.brownout"

    DELAY = "evt.delay"
    DUPLICATE = "evt.duplicate"
    REORDER = "evt.reorder"
    DROP = "evt.drop"
    POISON = "evt.poison"
    CONSUMER_DOWN = "evt.consumer_down"
    BROKER_LOSS = "evt.broker_loss"
    CLOCK_SKEW = "evt.clock_skew"


class Reach(StrEnum):
    """The calls that a service fault can hit."""

    ANY = "any"
    READS = "reads"
    LISTS = "lists"
    WRITES = "writes"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a fault: a number from `low` to `high`, or one (with `several`, some) of `options`."""

    default: Any
    meaning: str
    low: int = 0
    high: int = 0
    options: tuple[Any, ...] = ()
    several: bool = False


@dataclass(frozen=True)
class FaultSpec:
    """A fault in the catalog.

    Attributes:
        does: What the fault does.
        detect: How an agent detects it with its tools.
        repair: How an agent repairs it with its tools.
        cost: The most steps that one incident with one attempt costs an agent that handles it.
        coping_tools: Names, without the service's, of the tools that show or repair the fault. Calling one of
            them after the fault landed counts as detection. Faults that a retry overcomes have none.
        supporting_tools: Names, without the service's, of other tools that help under the fault: they show
            the same facts another way, or facts that a repair needs. Agents get them, but calling one detects
            nothing.
        longest_burst: The longest burst: how many attempts in a row one incident may spoil.
        most_incidents: The most incidents in an episode; for event faults, per consumer.
        reach: Which calls it can hit; for service faults only.
        parameters: Its own parameters, by name.
        lasts: The parameter with its duration in seconds, if an agent cannot see when the fault ends. The
            agent then looks every ten minutes, and each look costs as much again.
    """

    id: FaultId
    does: str
    detect: str
    repair: str
    cost: int
    coping_tools: tuple[str, ...] = ()
    supporting_tools: tuple[str, ...] = ()
    longest_burst: int = 1
    most_incidents: int = 1
    reach: Reach = Reach.ANY
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    lasts: str | None = None

    def cost_of(self, params: Mapping[str, Any]) -> int:
        """Return the most steps that one incident with one attempt costs, given these parameters."""
        looks = 1 if self.lasts is None else ceil(params[self.lasts] / _LOOK_S)
        return self.cost * looks

    @property
    def layer(self) -> Layer:
        """Where the fault happens."""
        return _LAYERS[self.id.value.partition(".")[0]]


_LOOK_S: Final = 600
_LAYERS: Final = {"biz": Layer.BUSINESS, "svc": Layer.SERVICE, "evt": Layer.EVENT}


def number(default: int, low: int, high: int, meaning: str) -> Parameter:
    """Return a parameter that is a number from `low` to `high`."""
    return Parameter(default, meaning, low, high)


def one(default: Any, options: tuple[Any, ...], meaning: str) -> Parameter:
    """Return a parameter that is one of the options."""
    return Parameter(default, meaning, options=options)


def some(default: tuple[Any, ...], options: tuple[Any, ...], meaning: str) -> Parameter:
    """Return a parameter that is some of the options."""
    return Parameter(list(default), meaning, options=options, several=True)
