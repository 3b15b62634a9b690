"""An area of reporting: feeds, their checks, marts and dashboards, and the requests that rely on them.

The same functions and phrases build the areas of the background and the area of a task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

from companyos.sdk.company import Company, NewId, Person, Row, cost_centre, new_name
from companyos.sdk.company.areas.datasets import add_dataset, add_history, compute_from
from companyos.sdk.simtime import DAY, HOUR

from . import names
from .approvals import DASHBOARD_TOTAL, SPENDING, SPENDING_APPROVAL

FEED, MART, DASHBOARD = "data_feed", "data_mart", "dashboard"
FEED_TOTAL, CONTROL_TOTAL, MART_TOTAL = "feed_total", "control_total", "mart_total"
REFRESH_S: Final = 900
#: Totals stay fresh longer than any episode; control totals are taken at the end of a month.
_TTL_S, _CONTROL_TTL_S = 30 * DAY, 2 * DAY
#: The fewest and the most rows of a dataset in each state.
_ROWS: Final = {"booked": (18, 30), "cancelled": (2, 4), "open": (2, 4)}
_COLUMNS: Final = {
    "number": ("string", "Number of the document."),
    "customer": ("string", "Number of the customer."),
    "amount": ("number", "In euros."),
    "state": ("string", "`booked`, `cancelled` or `open`."),
    "entered_on": ("date", "The day on which it was entered."),
}


@dataclass(frozen=True)
class Feed:
    """A feed: its record, its total, and the control total or the dataset that checks it."""

    record: Row
    metric: Row
    control: Row | None = None
    dataset: Row | None = None


@dataclass(frozen=True)
class Board:
    """A dashboard: its record and its total."""

    record: Row
    metric: Row


class Area:
    """An area of reporting under construction.

    Args:
        company: The company.
        name: The area's name, with which the names of its objects end.
        owner: The owner of its datasets.
        new_id: Assigns ids.
    """

    def __init__(self, company: Company, name: str, owner: Person, new_id: NewId) -> None:
        self._company = company
        self.name = name
        self._owner = owner
        self._new_id = new_id
        self._draws = company.draws.under(f"area.{name}.")
        self._labels = {
            kind: iter(self._draws.shuffled(kind, labels))
            for kind, labels in ((FEED, names.FEEDS), (DASHBOARD, names.BOARDS), (MART, names.MARTS))
        }

    def feed(
        self, *, repeats: bool = False, before: float = 1.0, age_s: int | None = None, check: str = ""
    ) -> Feed:
        """Add a feed with its past values.

        Args:
            repeats: Whether its last two values are equal.
            before: The size of earlier values, as a share of the current one.
            age_s: How long ago the current value was taken; some hours by default.
            check: The check that the record states.
        """
        record = self._record(FEED, "FEED", {"checked_by": check or "control total"})
        key = record["id"]
        value = self._draws.integer("value", 4_000_000, 90_000_000, key) / 100
        metric = self._total(FEED_TOTAL, record, value, age_s or self._hours(key))
        past = [round(value * before * (1 + self._noise(key, day)), 2) for day in range(self._days(key))]
        if repeats:
            past[0] = value
        ages = [self._company.start - metric["as_of"] + (1 + day) * DAY for day in range(len(past))]
        add_history(self._company, metric, list(zip(ages, past, strict=True))[::-1])
        return Feed(record, metric)

    def with_control(self, feed: Feed, *, shown_off: float, truly_off: float, item: float = 0.0) -> Feed:
        """Add a feed's control total, which is old; a refresh returns the one that counts.

        Args:
            feed: The feed.
            shown_off: The difference of the old one from the feed's total, as a share of the control total.
            truly_off: The difference of the refreshed one without the ledger item.
            item: What the ledger holds on top of the feed; negative if it lacks something.
        """
        value = feed.metric["value"]
        control = self._company.add_metric(
            CONTROL_TOTAL,
            feed.record["id"],
            _away(value, shown_off),
            "EUR",
            age_s=self._draws.integer("control.age", 4, 25, feed.record["id"]) * DAY,
            ttl_s=_CONTROL_TTL_S,
            refresh_s=REFRESH_S,
            values=[round(_away(value, truly_off) + item, 2)],
            metric_id=self._new_id("MET"),
        )
        return Feed(feed.record, feed.metric, control=control)

    def with_dataset(
        self, feed: Feed, *, off: float, counted: str | None = None, counted_off: float = 0.0
    ) -> Feed:
        """Add a feed's dataset.

        Args:
            feed: The feed.
            off: The difference of the feed's total from the sum of the booked rows, as a share of the sum.
            counted: The state of other rows that count for some days, if any.
            counted_off: The difference from the sum of the booked rows and those; less than `off`.
        """
        label, total = feed.record["name"].partition(" ")[0].lower(), feed.metric
        dataset = add_dataset(
            self._company,
            self._new_id("DS"),
            f"{feed.record['name']} (rows)",
            f"One row per document of {feed.record['name']}. The {FEED_TOTAL} of {feed.record['id']} is the sum of "
            "the amounts of its booked rows; cancelled and open ones do not count.",
            self._owner,
            _COLUMNS,
            self._rows(feed, self._amounts(feed, off, counted, counted_off)),
            age_s=self._company.start - total["as_of"] - HOUR,
            source=f"{label}-load",
            metrics=[total],
        )
        return Feed(feed.record, feed.metric, dataset=dataset)

    def mart(self, *upstream: Row) -> Row:
        """Add a mart computed from totals, and return its own total."""
        record = self._record(MART, "MART", {})
        value = round(fsum(one["value"] for one in upstream), 2)
        total = self._total(MART_TOTAL, record, value, 4 * HOUR)
        compute_from(total, *upstream)
        return total

    def board(self, *upstream: Row, use: str = "management", status: str = "active") -> Board:
        """Add a dashboard computed from totals."""
        record = self._record(DASHBOARD, "DSH", {"use": use}, status)
        value = round(fsum(one["value"] for one in upstream), 2)
        total = self._total(DASHBOARD_TOTAL, record, value, 3 * HOUR)
        compute_from(total, *upstream)
        return Board(record, total)

    def spending(self, board: Board, approver: Person, checker: Person, number: int = 0) -> Row:
        """Add an undecided request that is based on a dashboard, and return it."""
        company, key = self._company, board.record["id"]
        requester = company.hire(
            new_name(company, f"requester.{key}", number), "campaign_manager", "Marketing"
        )
        item = self._draws.choice("spending", names.SPENDING, key, number)
        ticket = company.add_ticket(
            self._new_id("TD"),
            SPENDING,
            f"Spend on {item} ({board.record['name']})",
            f"{board.record['name']} says that {item} would pay off. Asked for by {requester.team}.",
            requester,
            acts=("assigned", "verified"),
            status="verified",
            priority="medium",
            assignee=requester.id,
            subject=key,
            cost_centre=board.record["fields"]["cost_centre"],
            verified_by=checker.id,
            evidence="Read the dashboard.",
        )
        amount = self._draws.integer("amount", 20, 400, key, number) * 100.0
        due = company.start + self._draws.integer("due", 3, 8, key, number) * DAY
        request = company.submitted(
            ticket, SPENDING_APPROVAL, {"amount": amount}, requester, approver, due=due
        )
        metric = board.metric
        request["evidence"] |= {
            "metric_id": metric["id"],
            "metric_version": metric["version"],
            "metric_value": metric["value"],
        }
        return request

    def _record(self, kind: str, prefix: str, fields: dict[str, Any], status: str = "active") -> Row:
        record_id, label = self._new_id(prefix), next(self._labels[kind])
        known = {"area": self.name, "cost_centre": cost_centre(self._company, _number_of(record_id))}
        return self._company.add_record(record_id, kind, f"{label}, {self.name}", {**known, **fields}, status)

    def _total(self, name: str, record: Row, value: float, age_s: int) -> Row:
        return self._company.add_metric(
            name,
            record["id"],
            value,
            "EUR",
            age_s=age_s,
            ttl_s=_TTL_S,
            refresh_s=REFRESH_S,
            metric_id=self._new_id("MET"),
        )

    def _amounts(self, feed: Feed, off: float, counted: str | None, counted_off: float) -> dict[str, float]:
        """Return the sum of the rows in each state.

        If no other rows count, all rows add up to the feed's total if that is more than the booked ones.
        """
        key, value = feed.record["id"], feed.metric["value"]
        booked = _away(value, off)
        other = round(booked * self._draws.integer("other", 30, 100, key) / 1000, 2)
        if counted is not None:
            rest = next(state for state in names.STATES[1:] if state != counted)
            return {"booked": booked, counted: round(_away(value, counted_off) - booked, 2), rest: other}
        if value - booked > value / 100:
            other = round(value - booked, 2)
        part = round(other * self._draws.integer("part", 30, 70, key) / 100, 2)
        return dict(zip(names.STATES, (booked, part, round(other - part, 2)), strict=True))

    def _rows(self, feed: Feed, amounts: Mapping[str, float]) -> Sequence[Sequence[Any]]:
        """Return rows, in a drawn order, that have these sums in each state."""
        key, draws = feed.record["id"], self._draws
        rows = [
            (state, amount)
            for state, total in amounts.items()
            for amount in _split(
                draws, f"{key}.{state}", total, draws.integer("rows", *_ROWS[state], key, state)
            )
        ]
        order = draws.shuffled("order", rows, key)
        letter = feed.record["name"][0]
        return [
            (
                f"{letter}{20_000 + 7 * place}",
                f"C{draws.integer('customer', 100, 180, key, place)}",
                amount,
                state,
                f"2030-{1 + place % 9:02}-{1 + place % 28:02}",
            )
            for place, (state, amount) in enumerate(order)
        ]

    def _noise(self, key: str, day: int) -> float:
        size = self._draws.integer("noise", 8, 90, key, day)
        return (size if self._draws.chance("up", 0.5, key, day) else -size) / 1000

    def _days(self, key: str) -> int:
        return self._draws.integer("days", 4, 7, key)

    def _hours(self, key: str) -> int:
        return self._draws.integer("hours", 4, 9, key) * HOUR


def _number_of(record_id: str) -> int:
    """Return the number in an id, as a coordinate of draws."""
    return int(record_id.rpartition("-")[2])


def _away(value: float, share: float) -> float:
    """Return the number that differs from a value by this share of the number."""
    return round(value / (1 + share), 2)


def _split(draws: Any, name: str, total: float, parts: int) -> list[float]:
    """Return positive amounts of whole cents with this sum."""
    cents = round(total * 100)
    weights = [draws.integer(f"{name}.weight", 40, 200, number) for number in range(parts)]
    shares = [cents * weight // sum(weights) for weight in weights]
    shares[0] += cents - sum(shares)
    return [share / 100 for share in shares]
