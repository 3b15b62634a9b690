"""The facts of an instance, and the author who draws them: assets that change hands, and the hazards on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.company.areas.automations import rule_of
from companyos.sdk.company.background import add_automations
from companyos.sdk.simtime import DAY, HOUR, next_midnight, to_iso

from . import pack
from .documents import LATEST, LOWEST, write_documents
from .pack import AssetClass
from .puzzle import HIGH, Move, Puzzle, Solution
from .statements import (
    CEILING,
    FOLLOWS,
    FREEZE,
    LAST,
    PAGE,
    POLICY,
    REVIEW,
    TWIN,
    UNSTARTED,
    UNSTARTED_RETURN,
    Statement,
)

THREE, FOUR = "three", "four"
CEILINGS: Final = {THREE: 3.0, FOUR: 4.0}
#: How many people pass their only asset of a class on to the next.
RINGS: Final = (2, 3)
#: How likely a rule is to stand in no register, but in the document that may state it.
_UNREGISTERED: Final = 0.6


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        metric: The ceiling.
        papers: The equipment policy in force, and then the arrangements in force.
        solution: The right outcome; None if nothing can be done.
    """

    cause: str
    me: Person
    codename: str
    metric: Row
    papers: Sequence[Row]
    puzzle: Puzzle
    solution: Solution | None

    @property
    def possible_moves(self) -> Sequence[Move]:
        """The moves that can be made."""
        return () if self.solution is None else self.solution.moves


class Author:
    """Writes a task into a company.

    Attributes:
        people: Four people who hold or get assets.
        moves: The hand-overs so far.
        rules: The rules of the task so far, each with its service.
        unlisted: The sentences that state those that no register shows, by the title of their document.
    """

    def __init__(self, company: Company, cast: Cast, cause: str) -> None:
        self.company, self.cast, self.draws, self.cause = company, cast, company.draws, cause
        self.classes = pack.classes_of_task(company)
        self.people = [self._hire(number) for number in range(4)]
        self.oncall = company.hire(new_name(company, "oncall"), "engineer", "Field")
        for person in (*self.people, self.oncall):
            company.set_clearance(person.id, self.draws.integer("cleared", 2, 4, person.id))
        self.metric = self._ceiling_metric()
        self.codename = self.draws.choice("codename", pack.PROJECTS)
        self.moves: list[Move] = []
        self.rules: list[tuple[str, Row]] = []
        self.unlisted: dict[str, list[str]] = {}
        self.keeps_high = False

    def facts(self) -> Facts:
        """Draw the task, add its rows, and find out how much of it can be done."""
        add_automations(self.company, self.draws.integer("before", 4, 12))
        self._add_ceiling()
        self.project = self._project()
        self._add_rule(PAGE, oncall=self.oncall.id)
        self._cap()
        self._pass_on_last_ones()
        for add_hazard in self.draws.choice("hazards", HAZARDS):
            add_hazard(self)
        self.moves = self._moves_in_order()
        self.project["description"] = self._listing()
        author, which = self.cast.offices["operations_lead"], self.draws.choice("left_out", (LOWEST, LATEST))
        papers = write_documents(self.company, author, self.classes, self.unlisted, which)
        puzzle = self._puzzle(papers[0])
        return Facts(
            cause=self.cause,
            me=self.cast.persona,
            codename=self.codename,
            metric=self.metric,
            papers=papers,
            puzzle=puzzle,
            solution=puzzle.solve(),
        )

    def leave_unstarted(self) -> None:
        """An asset moves while nobody has started its ticket."""
        class_ = self.classes[2]
        self._add_rule(UNSTARTED, **class_.fields)
        holder = self.draws.choice("unstarted.from", (None, self.people[1]))
        self._move(self._asset(class_, holder), self.people[3], status="new")

    def freeze(self) -> None:
        """An asset may move only between the end of the freeze and midnight."""
        class_ = self.classes[3]
        until = self.company.start + self.draws.integer("freeze", 3, 6) * HOUR
        resumes = next_midnight(self.company.start)
        self._add_rule(FREEZE, until=to_iso(until), **class_.fields)["active_until"] = until
        paused = self._add_rule(REVIEW, **class_.fields)
        paused["paused"] = True
        notice = f"{paused['id']} is paused and resumes at {to_iso(resumes)}."
        self.company.announce_automation(REVIEW.service, paused, resumes, notice, paused=False)
        self._move(self._asset(class_, self.people[2]), self.people[3])

    def make_priority_follow(self) -> None:
        """The project's priority falls with one class, rises with another, and has to end high."""
        self.keeps_high = True
        self._add_rule(FOLLOWS, ticket=self.project["id"], to="low", **self.classes[1].fields)
        self._add_rule(FOLLOWS, ticket=self.project["id"], to="high", **self.classes[0].fields)

    def pair_up(self) -> None:
        """Two assets that belong together change hands, and the second one returns to the pool by itself."""
        class_, (_, _, third, fourth) = self.classes[4], self.people
        one, other = self._asset(class_, None), self._asset(class_, third)
        self._add_rule(TWIN, name=class_.name, asset=one["id"], other=other["id"])
        self._add_rule(TWIN, name=class_.name, asset=other["id"], other=one["id"])
        self._add_rule(UNSTARTED_RETURN, **class_.fields)
        self._move(one, fourth)
        self._move(other, fourth, status="new")

    def _hire(self, number: int) -> Person:
        role = self.draws.choice("role", ("technician", "engineer"), number)
        return self.company.hire(new_name(self.company, "holder", number), role, "Field")

    def _ceiling_metric(self) -> Row:
        return self.company.add_metric(
            f"{self.classes[0].id}_ceiling",
            None,
            self.draws.choice("stale", tuple(CEILINGS.values())),
            "pieces",
            metric_id=self.company.numbers.reserve("MET"),
            age_s=9 * DAY,
            ttl_s=7 * DAY,
            refresh_s=self.draws.integer("refresh", 2, 6) * 300,
            values=[CEILINGS[self.cause]],
        )

    def _project(self) -> Row:
        return self.company.add_ticket(
            self.company.numbers.reserve("TD"),
            pack.PROJECT,
            f"Equipment for {self.codename}",
            "",
            self.cast.reporter,
            priority="medium",
            status="triage",
            acts=("assigned",),
            assignee=self.cast.persona.id,
        )

    def _add_ceiling(self) -> None:
        """Add the rule that a person who holds more assets of the first class than the metric allows loses a level."""
        metric = {"metric": self.metric["id"], "metric_name": self.metric["name"]}
        self._add_rule(CEILING, **metric, **self.classes[0].fields)

    def _cap(self) -> None:
        """One person gives away an asset of the first class, and has to hold four of them at the end."""
        first, second, third, _ = self.people
        had = self.draws.integer("had", 2, 4)
        held = [self._asset(self.classes[0], first) for _ in range(had)]
        for number in range(5 - had):
            holder = self.draws.choice("from", (None, third), number)
            self._move(self._asset(self.classes[0], holder), first, "low" if number == 0 else None)
        self._move(held[0], second)

    def _pass_on_last_ones(self) -> None:
        """Each of some people gives their only asset of the second class to the next, the last to the first."""
        first, second, _, fourth = self.people
        class_ = self.classes[1]
        self._add_rule(LAST, **class_.fields)
        ring = (first, second, fourth)[: self.draws.choice("ring", RINGS)]
        for holder, successor in zip(ring, (*ring[1:], first), strict=True):
            self._move(self._asset(class_, holder), successor)
        self._asset(class_, None)

    def _asset(self, class_: AssetClass, holder: Person | None) -> Row:
        return pack.add_piece(
            self.company, self.company.numbers.reserve("AST"), class_, holder.id if holder else None
        )

    def _move(
        self, asset: Row, to: Person, priority: str | None = None, *, status: str = "in_progress"
    ) -> None:
        """Add a hand-over with its ticket."""
        drawn = self.draws.choice("move.priority", ("medium", "high"), len(self.moves) + 1)
        ticket = pack.add_handover(
            self.company,
            self.company.numbers.reserve("TD"),
            asset,
            self.codename,
            priority=priority or drawn,
            status=status,
        )
        self.moves.append(Move(asset, to.id, ticket))

    def _add_rule(self, statement: Statement, **fields: str) -> Row:
        """Add a rule to a register, or else its sentence to the document that may state it."""
        text = statement.text.write(**fields)
        listed = self._is_listed(statement, fields)
        row = self.company.add_automation(
            statement.service,
            statement.trigger,
            statement.when(fields),
            statement.do(fields),
            name=statement.name.format(**fields),
            description=text,
            automation_id=self.company.numbers.reserve("AUT"),
            listed=listed,
        )
        self.rules.append((statement.service, row))
        if not listed:
            self.unlisted.setdefault(statement.document, []).append(text)
        return row

    def _is_listed(self, statement: Statement, fields: Mapping[str, str]) -> bool:
        """Return whether a register shows a rule; what the policy states is in none."""
        if statement.document == POLICY:
            return False
        key = (statement.name, *sorted(fields.values()))
        return not statement.document or not self.draws.chance("unregistered", _UNREGISTERED, *key)

    def _moves_in_order(self) -> list[Move]:
        """List what a person gets before what they give away, so that the obvious order does harm."""
        capped, first = self.classes[0].id, self.people[0].id
        shuffled = self.draws.shuffled("listed", self.moves)
        return sorted(shuffled, key=lambda move: (move.asset["asset_class"], move.to) != (capped, first))

    def _listing(self) -> str:
        lines = [f"- {move.asset['id']} ({move.asset['name']}) to {move.to}" for move in self.moves]
        high = [f"This ticket has to stand at {HIGH} when all is done."] if self.keeps_high else []
        return "\n".join([f"Who has to have what for {self.codename}, today:", *lines, *high])

    def _puzzle(self, policy: Row) -> Puzzle:
        classes, rows = {move.asset["asset_class"] for move in self.moves}, self.company.rows["datahub"]
        return Puzzle(
            now=self.company.start,
            project=self.project,
            moves=self.moves,
            assets=[row for row in rows["assets"] if row["asset_class"] in classes],
            clearances=[self.company.row("datahub", "clearances", person.id) for person in self.people],
            rules=[rule_of(service, row) for service, row in self.rules],
            limits={self.metric["id"]: CEILINGS[self.cause]},
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
