"""The facts of an instance, and the author who draws them: assets that change hands, and the hazards on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.automations import Rule
from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.company.areas.automations import rule_of
from companyos.sdk.company.background import add_automations
from companyos.sdk.simtime import DAY, HOUR, next_midnight, to_iso

from . import rules
from .documents import LATEST, LOWEST, write_documents
from .pack import PROJECT, PROJECTS, AssetClass, add_handover, add_piece, classes_of_task
from .puzzle import HIGH, Move, Puzzle, Solution
from .rules import RuleKind

THREE, FOUR = "three", "four"
CEILINGS: Final = {THREE: 3.0, FOUR: 4.0}
#: How likely a rule is to stand in no register, but in the document that may state it.
_UNREGISTERED: Final = 0.6


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        metric: The ceiling.
        papers: The equipment policy in force, and then the arrangements in force.
        solution: The right outcome.
    """

    cause: str
    me: Person
    codename: str
    metric: Row
    papers: Sequence[Row]
    puzzle: Puzzle
    solution: Solution


class Author:
    """Writes a change into a company.

    Attributes:
        people: Four people who hold or get assets.
        moves: The hand-overs so far.
        rules: The rules of the task so far.
        unlisted: The sentences that state those that no register shows, by the title of their document.
    """

    def __init__(self, company: Company, cast: Cast, cause: str) -> None:
        self.company, self.cast, self.draws, self.cause = company, cast, company.draws, cause
        self.new_id = company.numbers.reserve
        self.classes = classes_of_task(company)
        self.people = [self._hire(number) for number in range(4)]
        self.oncall = company.hire(new_name(company, "oncall"), "engineer", "Field")
        for person in (*self.people, self.oncall):
            company.set_clearance(person.id, self.draws.integer("cleared", 2, 4, person.id))
        self.codename = self.draws.choice("codename", PROJECTS)
        self.project = company.add_ticket(
            self.new_id("TD"),
            PROJECT,
            f"Equipment for {self.codename}",
            "",
            cast.reporter,
            priority="medium",
            status="triage",
            acts=("assigned",),
            assignee=cast.persona.id,
        )
        self.moves: list[Move] = []
        self.rules: list[Rule] = []
        self.unlisted: dict[str, list[str]] = {}
        self.keeps_high = False

    def facts(self) -> Facts:
        """Draw the change, and add its rows."""
        add_automations(self.company, self.draws.integer("before", 4, 12))
        metric = self.cap()
        self._add_rule(rules.PAGE, {"oncall": self.oncall.id})
        self.pass_on_last_ones()
        for add_hazard in self.draws.choice("hazards", HAZARDS):
            add_hazard(self)
        self._list_moves()
        author = self.cast.offices["operations_lead"]
        left_out = self.draws.choice("left_out", (LOWEST, LATEST))
        papers = write_documents(self.company, author, self.classes, self.unlisted, left_out)
        puzzle = self._puzzle(metric, papers[0])
        return Facts(self.cause, self.cast.persona, self.codename, metric, papers, puzzle, puzzle.solve())

    def cap(self) -> Row:
        """One person gives away an asset of the first class and has to hold four in the end; return the ceiling."""
        first, second, third, _ = self.people
        class_, draws = self.classes[0], self.draws
        metric = self.company.add_metric(
            f"{class_.id}_ceiling",
            None,
            draws.choice("stale", tuple(CEILINGS.values())),
            "pieces",
            metric_id=self.new_id("MET"),
            age_s=9 * DAY,
            ttl_s=7 * DAY,
            refresh_s=draws.integer("refresh", 2, 6) * 300,
            values=[CEILINGS[self.cause]],
        )
        named = {"metric": metric["id"], "metric_name": metric["name"]}
        self._add_rule(rules.CEILING, {**named, **class_.fields})
        had = draws.integer("had", 2, 4)
        held = [self._asset(class_, first) for _ in range(had)]
        for number in range(5 - had):
            holder = draws.choice("from", (None, third), number)
            self._move(self._asset(class_, holder), first, "low" if number == 0 else None)
        self._move(held[0], second)
        return metric

    def pass_on_last_ones(self) -> None:
        """Each of some people gives their only asset of the second class to the next, the last to the first."""
        first, second, _, fourth = self.people
        class_ = self.classes[1]
        self._add_rule(rules.LAST, class_.fields)
        ring = (first, second, fourth)[: self.draws.choice("ring", (2, 3))]
        for holder, successor in zip(ring, (*ring[1:], first), strict=True):
            self._move(self._asset(class_, holder), successor)
        self._asset(class_, None)

    def leave_unstarted(self) -> None:
        """An asset moves while nobody has started its ticket."""
        class_ = self.classes[2]
        self._add_rule(rules.UNSTARTED, class_.fields)
        holder = self.draws.choice("unstarted.from", (None, self.people[1]))
        self._move(self._asset(class_, holder), self.people[3], status="new")

    def freeze(self) -> None:
        """An asset may move only between the end of the freeze and midnight."""
        class_, start = self.classes[3], self.company.start
        ends, resumes = start + self.draws.integer("freeze", 3, 6) * HOUR, next_midnight(start)
        self._add_rule(rules.FREEZE, {"until": to_iso(ends), **class_.fields})
        paused = self._add_rule(rules.REVIEW, class_.fields, paused=True)
        notice = f"{paused['id']} is paused and resumes at {to_iso(resumes)}."
        self.company.announce_automation(rules.REVIEW.service, paused, resumes, notice, paused=False)
        self._move(self._asset(class_, self.people[2]), self.people[3])

    def make_priority_follow(self) -> None:
        """The project's priority falls with one class, rises with another, and has to end high."""
        self.keeps_high = True
        for class_, to in ((self.classes[1], "low"), (self.classes[0], "high")):
            self._add_rule(rules.FOLLOWS, {"ticket": self.project["id"], "to": to, **class_.fields})

    def pair_up(self) -> None:
        """Two assets that belong together change hands, and the second one returns to the pool by itself."""
        class_, (_, _, third, fourth) = self.classes[4], self.people
        one, other = self._asset(class_, None), self._asset(class_, third)
        for moved, returned in ((one, other), (other, one)):
            fields = {"name": class_.name, "asset": moved["id"], "other": returned["id"]}
            self._add_rule(rules.TWIN, fields)
        self._add_rule(rules.UNSTARTED_RETURN, class_.fields)
        self._move(one, fourth)
        self._move(other, fourth, status="new")

    def _hire(self, number: int) -> Person:
        role = self.draws.choice("role", ("technician", "engineer"), number)
        return self.company.hire(new_name(self.company, "holder", number), role, "Field")

    def _asset(self, class_: AssetClass, holder: Person | None) -> Row:
        return add_piece(self.company, self.new_id, class_, holder)

    def _move(self, asset: Row, to: Person, priority: str | None = None, status: str = "in_progress") -> None:
        """Add a hand-over with its ticket."""
        drawn = self.draws.choice("move.priority", ("medium", "high"), len(self.moves) + 1)
        columns = {"priority": priority or drawn, "status": status}
        ticket = add_handover(self.company, self.new_id, asset, self.codename, **columns)
        self.moves.append(Move(asset, to.id, ticket))

    def _add_rule(self, kind: RuleKind, fields: Mapping[str, str], *, paused: bool = False) -> Row:
        """Add a rule to a register, or else its sentence to the document that may state it."""
        key = kind.name, *sorted(fields.values())
        # What the policy states is in no register.
        is_drawn = kind.document == rules.POLICY or self.draws.chance("unregistered", _UNREGISTERED, *key)
        is_listed = not (kind.document and is_drawn)
        row = kind.add(self.company, self.new_id("AUT"), fields, listed=is_listed, paused=paused)
        self.rules.append(rule_of(kind.service, row))
        if not is_listed:
            self.unlisted.setdefault(kind.document, []).append(row["description"])
        return row

    def _list_moves(self) -> None:
        """List what a person gets before what they give away, so that the obvious order does harm."""
        capped = self.classes[0].id, self.people[0].id
        shuffled = self.draws.shuffled("listed", self.moves)
        self.moves = sorted(shuffled, key=lambda move: (move.asset["asset_class"], move.to) != capped)
        lines = [f"- {move.asset['id']} ({move.asset['name']}) to {move.to}" for move in self.moves]
        high = [f"This ticket has to stand at {HIGH} when all is done."] if self.keeps_high else []
        heading = f"Who has to have what for {self.codename}, today:"
        self.project["description"] = "\n".join([heading, *lines, *high])

    def _puzzle(self, metric: Row, policy: Row) -> Puzzle:
        classes, rows = {move.asset["asset_class"] for move in self.moves}, self.company.rows["datahub"]
        return Puzzle(
            now=self.company.start,
            project=self.project,
            moves=self.moves,
            assets=[row for row in rows["assets"] if row["asset_class"] in classes],
            clearances=[self.company.row("datahub", "clearances", person.id) for person in self.people],
            rules=self.rules,
            limits={metric["id"]: CEILINGS[self.cause]},
            policy=policy,
            oncall=self.oncall.id,
            all_or_nothing=self.draws.chance("all_or_nothing", 0.25),
        )


#: The hazards besides the ceiling and the rule about last assets.
HAZARDS: Final = (
    (Author.pair_up,),
    (Author.leave_unstarted, Author.make_priority_follow),
    (Author.freeze, Author.make_priority_follow),
    (Author.leave_unstarted, Author.freeze),
    (Author.leave_unstarted, Author.freeze, Author.make_priority_follow),
)
