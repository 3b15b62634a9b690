"""The oracle: it reads the list, the rules in registers and documents, and the holders, and solves the puzzle."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from companyos.sdk.automations import Rule
from companyos.sdk.company.areas.automations import rule_of
from companyos.sdk.grading.state import Row
from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills
from companyos.sdk.simtime import from_iso

from .puzzle import Move, Puzzle, classes_of, limits_of
from .rules import STATED
from .simulation import Act

ALL_OR_NOTHING: Final = "all or nothing"
REASON: Final = "constraint_conflict"
_LINE: Final = re.compile(r"^- (AST-\d+) \(.*\) to ([a-z.]+)$", re.MULTILINE)


def solve(observation: Observation) -> Script:
    """Read the rules, simulate them, find an order, and follow it."""
    me = Skills(observation)
    puzzle = yield from read_puzzle(me)
    moves, acts = puzzle.solve()
    if not moves:
        yield from me.ask("refuse", reason_code=REASON, evidence=puzzle.evidence)
        return
    for act in acts:
        yield from _do(me, act)
    # A late automation may have changed the project's priority.
    ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
    if puzzle.keeps_high and ticket["priority"] != "high":
        yield from _do(me, Act(me.ticket_id, "priority", "high"))
    left_out = [move.asset["id"] for move in puzzle.moves if move not in moves]
    yield from me.finish(f"Done without {left_out[0]}." if left_out else "Done.")


def read_puzzle(me: Skills) -> Play[Puzzle]:
    """Read everything relevant, each source after the one that leads to it."""
    project = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
    wanted = dict(_LINE.findall(project["description"]))
    codename = project["title"].rpartition(" ")[2]
    found = yield from me.pages("ticketdesk_search_tickets", limit=50, q=f"for {codename}")
    tickets = {one["subject"]: one for one in found}
    listed = yield from _read_registers(me)
    policy, stated = yield from _read_documents(me)
    assets = yield from _read_assets(me, wanted)
    clearances = list[Row]()
    for person in sorted({*wanted.values(), *(assets[one]["holder"] for one in wanted)} - {None}):
        clearances += [(yield from me.ask("datahub_get_clearance", person_id=person))]
    classes = {row["asset_class"] for row in assets.values()}
    rules = [rule for rule in (*listed, *stated) if classes_of(rule) <= classes]
    readings = yield from me.renewed(sorted({one for rule in rules for one in limits_of(rule)}))
    return Puzzle(
        now=me.now,
        project=project,
        moves=[Move(assets[asset_id], person, tickets[asset_id]) for asset_id, person in wanted.items()],
        assets=list(assets.values()),
        clearances=clearances,
        rules=rules,
        limits={metric_id: reading["value"] for metric_id, reading in readings.items()},
        policy=policy,
        oncall=me.from_brief(r"([a-z]+\.[a-z]+) must not be paged"),
        all_or_nothing=ALL_OR_NOTHING in me.text,
    )


def _read_registers(me: Skills) -> Play[list[Rule]]:
    rules = []
    for service in ("datahub", "ticketdesk"):
        listed = yield from me.pages(f"{service}_list_automations", limit=50)
        rules += [_rule(service, row) for row in sorted(listed, key=lambda row: (row["number"], row["id"]))]
    return rules


def _rule(service: str, row: Row) -> Rule:
    """Return a rule of a register; a paused one runs from when it is said to resume."""
    ends = {name: row[name] and from_iso(row[name]) for name in ("active_from", "active_until")}
    rule = rule_of(service, {**row, **ends})
    resumes = [from_iso(one["at"]) for one in row["announced"] if "resumes" in one["notice"]]
    return replace(rule, paused=False, active_from=resumes[0]) if rule.paused and resumes else rule


def _read_documents(me: Skills) -> Play[tuple[Row, list[Rule]]]:
    """Return the policy in force, and the rules that it and the arrangements in force state."""
    search = "datahub_search_documents"
    policies = yield from me.pages(search, limit=50, q="last clearance", kind="policy", status="in_force")
    arranged = yield from me.pages(search, limit=50, q="arrangements", status="in_force")
    rules, read = list[Rule](), list[Row]()
    for document_id in dict.fromkeys(one["id"] for one in [*policies, *arranged]):
        document = yield from me.ask("datahub_get_document", document_id=document_id)
        read.append(document)
        rules += [
            kind.rule(f"{document_id}/{number}", fields)
            for number, kind in enumerate(STATED, start=1)
            for fields in kind.sentence.find(document["body"])
        ]
    return next(one for one in read if one["kind"] == "policy"), rules


def _read_assets(me: Skills, wanted: Iterable[str]) -> Play[dict[str, Row]]:
    """Return every asset of the classes of these by id."""
    assets: dict[str, Row] = {}
    for asset_id in wanted:
        if asset_id not in assets:
            found = yield from me.pages("datahub_list_assets", limit=50, q=asset_id)
            class_ = next(one["asset_class"] for one in found if one["id"] == asset_id)
            of_class = yield from me.pages("datahub_list_assets", limit=50, asset_class=class_)
            assets |= {one["id"]: one for one in of_class}
    return assets


def _do(me: Skills, act: Act) -> Play[None]:
    if act.column == "now":
        yield from me.wait_until(act.value)
    else:
        yield from me.ask(act.call["tool_name"], **act.call["arguments"])
