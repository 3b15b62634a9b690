"""Marks that an episode plants in every text field it can write, and what of them is found where.

The fields are read off the services' manifests: whatever text an argument of a call that writes can hold.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import httpx
import orjson

from companyos.sdk.scenario import Action, Instance, Observation, call
from tests.live_services import ADMIN_TOKEN

from .plausible_calls import OBJECT, PlausibleCaller
from .stack import Stack

MARK = re.compile(r"zq(\d{3})x\d+")
#: What stands for any key of an object, for what is under it, and for any item of a list.
ANY_KEY, ANY_VALUE, ANY_ITEM = "*key", "*", "[]"
#: A replay only looks its object up, so it takes a mark and writes none.
LOOKED_UP = ("replay_events", "object_id")
#: What has to name something that exists refuses every mark, and a refusal writes nothing.
MUST_EXIST = {"approver", "assignee", "blocks", "kind", "permission", "ticket_id", "type"}
#: What is to be masked is looked for, and kept nowhere.
LOOKED_FOR = {"identifiers"}
#: These only look, with more to say than fits into an address.
LOOKS = ("find_personal_data", "query_dataset")
#: Redriving takes nothing but what was published, and needs a dead letter, which companies this calm have none of.
REDRIVES = "redrive_dead_letter"


class Field(NamedTuple):
    """A text that a call can carry: the argument, and inside it a key or a value of an object, or an item of a list."""

    service: str
    tool: str
    argument: str
    inside: str = ""

    @property
    def is_key(self) -> bool:
        """Whether it is the key under which a call is stored, which no row of the company shows."""
        return self.argument == "idempotency_key"

    @property
    def is_written(self) -> bool:
        """Whether a call can succeed that says any text there, and then keeps it."""
        operation = self.tool.removeprefix(f"{self.service}_")
        is_taken = operation != REDRIVES and self.argument not in MUST_EXIST | LOOKED_FOR
        return is_taken and (operation, self.argument) != LOOKED_UP


@dataclass(frozen=True)
class Planted:
    """A mark, the field it was put into, and the step at which that was."""

    mark: str
    field: Field
    step: int


async def writable_fields(stack: Stack) -> list[Field]:
    """Return every text field of every call that writes, of every service."""
    found = []
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {ADMIN_TOKEN}"}) as client:
        for service, url in stack.services.items():
            manifest = (await client.get(f"{url}/admin/manifest")).raise_for_status().json()
            for tool in manifest["tools"]:
                is_read = tool["method"] == "GET" or tool["name"].endswith(LOOKS)
                found += [] if is_read else list(_texts(service, tool))
    return found


def marks_in(value: Any) -> set[str]:
    """Return the numbers of the episodes whose marks are in a value."""
    return set(MARK.findall(orjson.dumps(value, default=str).decode()))


@dataclass
class Planter:
    """Plays an episode and leaves its own marks wherever it writes.

    Attributes:
        number: Which episode it is; stands in its marks.
        planted: What it left where, so far.
    """

    number: int
    clerk: PlausibleCaller
    fields: Sequence[Field]
    planted: list[Planted] = field(default_factory=list)
    _step: int = 0
    _landed: Counter[Field] = field(default_factory=Counter)
    _tries: Counter[Field] = field(default_factory=Counter)
    _own: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        schemas = {tool["name"]: tool["input_schema"]["properties"] for tool in self.clerk.tools}
        self._prose: dict[str, list[Field]] = {}
        self._keys = {one.tool: one for one in self.fields if one.is_key}
        for one in self.fields:
            schema = schemas[one.tool][one.argument]
            if not (one.inside or one.is_key or self.clerk.names_something(one.argument, schema)):
                self._prose.setdefault(one.tool, []).append(one)

    @classmethod
    def of(
        cls, number: int, begun: Observation, instance: Instance, plan: Sequence[Action], fields: list[Field]
    ) -> "Planter":
        """Return the planter of a number; equal numbers plant equal marks."""
        clerk = PlausibleCaller(str(number), begun["tools"], instance, plan)
        return cls(number, clerk, clerk.random.sample(fields, len(fields)))

    def act(self, observation: Observation) -> Action:
        """Return the next action: a field to write to, a step of the plan, or something to read."""
        self._see(observation)
        self.clerk.see(observation)
        match self.clerk.random.choices(("plant", "plan", "read"), (5, 5, 1))[0]:
            case "plant":
                return self._plant(self._wanted())
            case "plan":
                return self._marked(self.clerk.planned())
        return self._search()

    def _see(self, observation: Observation) -> None:
        """Learn where the marks of the last step landed, and what it wrote to: that is its own from then on."""
        landed = {one.field for one in self.planted if one.step == self._step}
        if landed and observation["step"] == self._step and observation["error"] is None:
            self._landed.update(landed)
            self._keep(observation["result"])
        self._step = observation["step"] + 1

    def _keep(self, result: Any) -> None:
        name = result.get("id") if isinstance(result, dict) else None
        if isinstance(name, str) and (found := OBJECT.fullmatch(name)):
            self._own[found[1]] = name

    def _rather_own(self, value: Any) -> Any:
        """Return something of its own in place of another's, as often as not: much takes nobody else's."""
        found = OBJECT.fullmatch(value) if isinstance(value, str) else None
        own = self._own.get(found[1]) if found else None
        return own if own and self.clerk.random.random() < 0.5 else value

    def _wanted(self) -> Field:
        """Return a field that kept a mark least often (where none can, that was sent one), or was tried least."""
        kept = {one: (self._landed if one.is_written else self._tries)[one] for one in self.fields}
        return min(self.fields, key=lambda one: (kept[one], self._tries[one]))

    def _plant(self, chosen: Field) -> Action:
        tool = next(tool for tool in self.clerk.tools if tool["name"] == chosen.tool)
        arguments = self.clerk.call_of(tool)["arguments"]
        arguments = {name: self._rather_own(value) for name, value in arguments.items()}
        for condition in ("version", "policy_version"):
            arguments.pop(condition, None)
        arguments[chosen.argument] = self._filled(chosen)
        return self._marked(call(chosen.tool, **arguments))

    def _filled(self, chosen: Field) -> Any:
        mark = self._mark(chosen)
        match chosen.inside:
            case "":
                return mark
            case inside if inside == ANY_KEY:
                return {mark: 1}
            case inside if inside == ANY_ITEM:
                return [mark]
        return {"note": mark}

    def _marked(self, action: Action) -> Action:
        """Put marks into all that is only prose, given or not, since nothing depends on what it says.

        The key gets one as well, until it has been kept once.
        """
        arguments = dict(action["arguments"])
        for one in self._prose.get(action["tool_name"], ()):
            if not marks_in(arguments.get(one.argument)):
                arguments[one.argument] = self._mark(one)
        key = self._keys.get(action["tool_name"])
        if key and not self._landed[key] and not marks_in(arguments.get(key.argument)):
            arguments[key.argument] = self._mark(key)
        return call(action["tool_name"], **arguments)

    def _mark(self, where: Field) -> str:
        mark = f"zq{self.number:03}x{len(self.planted)}"
        self.planted.append(Planted(mark, where, self._step))
        self._tries[where] += 1
        return mark

    def _search(self) -> Action:
        if self.clerk.random.random() < 0.5:
            return call("ticketdesk_search_tickets", q="zq", limit=200)
        readers = [tool for tool in self.clerk.tools if "_list_" in tool["name"] or "_get_" in tool["name"]]
        return self.clerk.call_of(self.clerk.random.choice(readers))


def _texts(service: str, tool: Mapping[str, Any]) -> Iterator[Field]:
    for argument, schema in tool["parameters"]["properties"].items():
        if tool["places"][argument] in ("body", "header"):
            yield from (Field(service, tool["name"], argument, inside) for inside in _inside(schema))


def _inside(schema: Mapping[str, Any]) -> Iterator[str]:
    """Return where a value of this schema has room for text: itself, or which part of it.

    Properties that a schema names are no free keys, and `additionalProperties` may be no more than a yes or no.
    """
    for variant in schema.get("anyOf", [schema]):
        types = variant.get("type", ())
        types = {types} if isinstance(types, str) else set(types)
        if "string" in types and not {"enum", "const", "format"} & set(variant):
            yield ""
        if "object" in types and isinstance(values := variant.get("additionalProperties", {}), Mapping):
            yield ANY_KEY
            if "" in _inside(values):
                yield ANY_VALUE
        if "array" in types and "" in _inside(variant["items"]):
            yield ANY_ITEM
