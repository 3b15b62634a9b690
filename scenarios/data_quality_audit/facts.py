"""The facts of an audit: the failed feeds, the required quarantines, and the requests that they void."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companyos.sdk.company import Cast, Company, Person, Row
from companyos.sdk.company.areas.datasets import quarantine
from companyos.sdk.draws import Draws
from companyos.sdk.family import choose_cause
from companyos.sdk.simtime import DAY
from scenarios.packs import analytics
from scenarios.packs.analytics import Area, Board, Feed

from . import papers
from .estate import (
    FAILED,
    FIRST,
    PLANS,
    SECOND,
    THIRD,
    Differences,
    Resting,
    add_boards,
    add_sound_feeds,
    draw_tolerance,
    third_has_failed,
)
from .suspects import add_suspects, draw_findings, write_notices


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        cause: Which of the feeds with a control total have failed.
        notices: The notices in force about the suspects, and the calendar that dates the end of one.
        reason: The rules' reason code for a refusal.
        suspects: The three feeds that repeat their value.
        feeds: All feeds of the area.
        failed: The suspects that have failed, by name.
        boards: The dashboards of the area.
        earlier: The total of a dashboard in quarantine from the start, or None.
        missing: The statutory dashboard that needs a release and has none, if the audit would quarantine it.
        requests: Undecided requests that depend on dashboards of the area.
        refreshable: Ids of every metric of the area; refreshing these does no harm.
    """

    cause: str
    me: Person
    area: Area
    ticket: Row
    rules: Row
    notices: Sequence[Row]
    reason: str
    suspects: Mapping[str, Feed]
    feeds: Sequence[Feed]
    failed: frozenset[str]
    boards: Sequence[Resting]
    earlier: str | None
    missing: Row | None
    requests: Sequence[Row]
    refreshable: frozenset[str]

    @property
    def papers(self) -> list[str]:
        """The documents that every verdict on a feed rests on."""
        return [str(row["id"]) for row in (self.rules, *self.notices)]

    @property
    def wanted(self) -> frozenset[str]:
        """Totals that must be in quarantine at the end; if a release is missing, those that already are."""
        if self.missing is not None:
            return frozenset({self.earlier} if self.earlier else ())
        return frozenset(one.board.metric["id"] for one in self.boards if _is_bad(one, self.failed))

    @property
    def totals(self) -> frozenset[str]:
        """The totals of the area's dashboards."""
        return frozenset(one.board.metric["id"] for one in self.boards)

    @property
    def failed_feeds(self) -> list[str]:
        """Ids of the feeds that have failed."""
        return sorted(self.suspects[name].record["id"] for name in self.failed)

    @property
    def controls(self) -> list[Row]:
        """The control totals that the agent must have read."""
        found = (self.suspects[name].control for name in (FIRST, SECOND))
        return [control for control in found if control is not None]

    @property
    def new(self) -> frozenset[str]:
        """Totals that the agent has to quarantine."""
        return self.wanted - {self.earlier}

    @property
    def voided(self) -> list[Row]:
        """The requests that the right quarantines void."""
        return [one for one in self.requests if one["evidence"]["metric_id"] in self.new]


def write(company: Company, cast: Cast, seed: int) -> Facts:
    """Write the area, the documents and the ticket of a seed."""
    goal = company.draws.under("goal.")
    plan, tolerance = goal.choice("plan", PLANS), draw_tolerance(goal)
    cause = choose_cause(goal, plan.causes, seed)
    failed = FAILED[cause] | ({THIRD} if third_has_failed(goal, plan) else frozenset())
    area = analytics.new_area(company, "goal", company.numbers.reserve)
    assert area is not None

    reason, differences = papers.draw_reason(goal), Differences(goal, tolerance)
    findings = draw_findings(goal, differences, tolerance, plan, cause, third=THIRD in failed)
    suspects = add_suspects(goal, area, differences, findings)
    sound = add_sound_feeds(goal, area, differences)
    boards = add_boards(goal, area, plan, suspects, sound)
    papers.write_releases(goal, company, cast, plan, boards)
    notices = write_notices(goal, company, cast, area, suspects, findings)
    papers.write_minutes(goal, company, cast, area, sound[0])
    bad = (
        one.board.record
        for one in boards
        if one.is_statutory and one.suspect == FIRST and _is_bad(one, failed)
    )
    missing = next(bad, None) if plan.lacks_release else None
    return Facts(
        cause=cause,
        me=cast.persona,
        area=area,
        ticket=papers.open_ticket(goal, company, cast, area, _ticket_facts(goal, suspects, sound, boards)),
        rules=papers.write_rules(goal, company, cast, tolerance, reason),
        notices=notices,
        reason=reason,
        suspects=suspects,
        feeds=[*suspects.values(), *sound],
        failed=failed,
        boards=boards,
        requests=_add_requests(goal, cast, area, boards),
        earlier=_quarantine_one(goal, company, cast, boards),
        missing=missing,
        refreshable=_metrics_of(company, area),
    )


def _metrics_of(company: Company, area: Area) -> frozenset[str]:
    records = (row for row in company.rows["datahub"]["records"] if row["fields"].get("area") == area.name)
    return frozenset(str(metric["id"]) for record in records for metric in company.about(record["id"]))


def _is_bad(resting: Resting, failed: frozenset[str]) -> bool:
    return resting.suspect in failed and resting.is_active


def _ticket_facts(
    draws: Draws, suspects: Mapping[str, Feed], sound: Sequence[Feed], boards: Sequence[Resting]
) -> dict[str, str]:
    frozen = draws.choice("told.frozen", (FIRST, SECOND))
    other = SECOND if frozen == FIRST else FIRST
    healthy = [one.board for one in boards if one.suspect is None]
    return {
        "jumped": sound[0].record["name"],
        "stale": sound[1].record["name"],
        "frozen": suspects[frozen].record["name"],
        "other": suspects[other].record["name"],
        "board": draws.choice("told.board", healthy).record["name"],
    }


def _add_requests(draws: Draws, cast: Cast, area: Area, boards: Sequence[Resting]) -> list[Row]:
    """Add undecided requests: one or two on dashboards of each suspect, and one or two on sound ones."""
    requests: list[Row] = []
    for name in (FIRST, SECOND, THIRD, None):
        on = [one.board for one in boards if one.suspect == name and one.is_active]
        count = draws.integer("requests", 0 if name == THIRD else 1, 2, name or "sound")
        chosen: list[Board] = draws.sample("requests.on", on, count, name or "sound")
        requests += [area.spending(one, cast.offices["commercial_director"], cast.checker) for one in chosen]
    return requests


def _quarantine_one(draws: Draws, company: Company, cast: Cast, boards: Sequence[Resting]) -> str | None:
    """In some pairs, add an old quarantine to a dashboard that no request depends on."""
    if not draws.chance("earlier", 0.5):
        return None
    relied_on = {row["evidence"].get("metric_id") for row in company.rows["approvalflow"]["requests"]}
    free = [
        one.board.metric
        for one in boards
        if one.is_active and not one.is_statutory and one.board.metric["id"] not in relied_on
    ]
    if not free:
        return None
    metric = draws.choice("earlier.which", free)
    reason = "The load of that week was incomplete."
    quarantine(company, metric, cast.offices["head_of_reporting"], reason, age_s=45 * DAY)
    return str(metric["id"])
