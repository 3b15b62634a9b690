"""A clerk who knows the company by heart: calls of any tool, their arguments filled in from the tool's own schema.

What an argument names is read off its name, or off the example that its description gives (`TD-1042`: a ticket), so a
new tool is used like the others without a word here.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from companyos.sdk.scenario import Action, Instance, Observation, call

Schema = Mapping[str, Any]

ENDS = ("finish", "refuse")
WAITS = (60, 3_600, 7_200, 86_400, 259_200)
WORDS = ("checked", "as agreed", "please decide", "seen in the file", "vendor", "late")
RECENT = 4
OBJECT = re.compile(r"\b([A-Z]{1,4}-)\d+\b")
PERSON = re.compile(r"\b[a-z]+\.[a-z]+\b")
APPROVAL = re.compile(r"\b[a-z]+_approval\b")
NAMES = re.compile(r"(person )?id of", re.IGNORECASE)
#: What arguments name, where their name tells.
KINDS = {
    "ticket_id": "TD-",
    "blocker_id": "TD-",
    "blocks": "TD-",
    "target": "TD-",
    "metric_id": "MET-",
    "dataset_id": "DS-",
    "change_id": "CHG-",
    "request_id": "APR-",
    "job_id": "JOB-",
    "document_id": "DOC-",
    "asset_id": "AST-",
    "message_id": "MSG-",
    "invoice_id": "INV-",
    "order_id": "PO-",
    "period_id": "PER-",
    "purchase_id": "PUR-",
    "budget_id": "BUD-",
    "quote": "DOC-",
    "supplier_id": "SUP-",
    "person_id": "person",
    "approver": "person",
    "assignee": "person",
    "type_id": "approval",
    "type": "approval",
    "entitlement_id": "ENT-",
    "delegate": "person",
    "to": "person",
    "types": "approval",
    "kind": "ticket kind",
    "references": "MET-",
    "document_ids": "DOC-",
    "into": "TD-",
}
QUOTED = re.compile(r"`([^`]+)`")


class PlausibleCaller:
    """Draws calls; equal seeds, companies and observations give equal calls. It never ends an episode by itself.

    Args:
        seed: Anything that tells one clerk from another.
        tools: The tools there are, as a reset lists them.
        instance: The company.
        plan: What solves the task, step by step; the clerk mixes that in.
    """

    def __init__(
        self, seed: str, tools: Sequence[Schema], instance: Instance, plan: Sequence[Action] = ()
    ) -> None:
        self.random = random.Random(seed)
        self.tools = [tool for tool in tools if tool["name"] not in ENDS]
        self._plan = iter([action for action in plan if action["tool_name"] not in ENDS])
        self._known: dict[str, dict[str, None]] = {}
        self._types = {row["id"] for row in instance.rows.get("approvalflow", {}).get("approval_types", ())}
        self._permissions = [row["id"] for row in instance.rows["datahub"].get("permissions", ())]
        self._known["ticket kind"] = {row["id"]: None for row in instance.rows["ticketdesk"]["ticket_kinds"]}
        self._note(orjson.dumps(instance.rows).decode())
        self._note(instance.brief)

    def see(self, observation: Observation) -> None:
        """Take note of the ids that an observation names; the latest come to mind first."""
        self._note(orjson.dumps([observation["text"], observation["result"]]).decode())

    def planned(self) -> Action:
        """Return the next call of the plan; after its end, any."""
        return next(self._plan, None) or self.call_of(self.random.choice(self.tools))

    def call_of(self, tool: Schema) -> Action:
        """Return a call of a tool with its required arguments and some of the others."""
        schema = tool["input_schema"]
        if tool["name"] == "wait":
            return call("wait", seconds=self.random.choice(WAITS))
        required = schema.get("required", ())
        wanted = [name for name in schema["properties"] if name in required or self.random.random() < 0.3]
        return call(tool["name"], **{name: self.value(name, schema["properties"][name]) for name in wanted})

    def value(self, name: str, schema: Schema) -> Any:
        """Return a value that a schema allows and, where it names something, that exists."""
        if "anyOf" in schema:
            variant = next(one for one in schema["anyOf"] if one.get("type") != "null")
            return self.value(name, {"description": schema.get("description", ""), **variant})
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        match schema.get("type"):
            case "integer" | "number":
                return self.random.randint(1, 90)
            case "boolean":
                return self.random.random() < 0.5
            case "array":
                return [self.value(name, schema["items"])]
            case "object" if "properties" in schema:
                return {one: self.value(one, inner) for one, inner in schema["properties"].items()}
            case "object":
                return {self.random.choice(("tax_id", "amount", "note")): self.random.choice(WORDS)}
        return self._named(name, schema) or self.random.choice(WORDS)

    def names_something(self, name: str, schema: Schema) -> bool:
        """Return whether a text is to name something that exists, rather than to say anything."""
        told = NAMES.match(schema.get("description", "")) is not None
        return told or name in KINDS or self._named(name, schema) is not None

    def _named(self, name: str, schema: Schema) -> str | None:
        if known := list(self._known.get(KINDS.get(name, ""), ())):
            return self._recent(known)
        for example in QUOTED.findall(schema.get("description", "")):
            if example in self._permissions:
                return self.random.choice(self._permissions)
            for kind, _ in _names(example):
                if known := list(self._known.get(kind, ())):
                    return self._recent(known)
        return None

    def _recent(self, known: Sequence[str]) -> str:
        return self.random.choice(known[-self.random.choice((1, 1, RECENT, len(known))) :])

    def _note(self, text: str) -> None:
        for kind, name in _names(text):
            if kind == "approval" and name not in self._types:
                continue
            names = self._known.setdefault(kind, {})
            names.pop(name, None)
            names[name] = None


def _names(text: str) -> Iterator[tuple[str, str]]:
    for found in OBJECT.finditer(text):
        yield found[1], found[0]
    for name in PERSON.findall(text):
        yield "person", name
    for name in APPROVAL.findall(text):
        yield "approval", name
