"""The documents about incidents: rules, freezes, the roster and mails, one edition of each in force."""

from collections.abc import Sequence
from dataclasses import dataclass

from companyos.sdk.company import Cast, Company, Edition, Person, Row, new_name
from companyos.sdk.documents import Template
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, to_date, to_iso

from . import names, texts
from .calendar import WEEKDAYS, Freeze, Windows, monday
from .estate import Estate
from .pack import MANAGER, TEAM
from .plans import FIRST, SECOND, Plan, Rates

#: The range of weeks that a roster shows, relative to the current one.
_WEEKS = (-2, 4)


@dataclass(frozen=True)
class Papers:
    """The documents that count.

    Attributes:
        handling: The rules in force.
        freezes: The valid notices of freezes, including past freezes.
        on_call: The duty manager on call.
        freeze_notice: Id of the notice of the current freeze.
        on_call_papers: Ids of the roster, and of the newest mail about who has the phone.
    """

    handling: Row
    windows: Windows
    freezes: Sequence[Freeze]
    on_call: Person
    freeze_notice: str
    on_call_papers: Sequence[str]


@dataclass(frozen=True)
class Writer:
    """Writes the documents of a company."""

    draws: Draws
    company: Company
    cast: Cast

    @property
    def _today(self) -> int:
        return self.company.start // DAY

    def papers(self, plan: Plan, rates: Rates, estate: Estate) -> Papers:
        """Write all of them."""
        first, second = sorted(self.draws.sample("windows.days", range(5), 2))
        windows = Windows((first, second), self.draws.integer("windows.hour", 19, 22))
        handling = self._handling(rates, windows)
        freeze, notice = self._freeze(plan, estate)
        freezes = [freeze, *self._past_freeze(estate)]
        sales = self.company.hire(new_name(self.company, "sales"), "head_of_sales", "Sales")
        self._mail(sales, texts.LIFTED_SUBJECT, texts.LIFTED, age_s=5 * HOUR)
        on_call, on_call_papers = self._on_call()
        return Papers(handling, windows, freezes, on_call, notice["id"], on_call_papers)

    def _handling(self, rates: Rates, windows: Windows) -> Row:
        owner, age_s = self.cast.offices[MANAGER], self.draws.integer("handling.age", 30, 200) * DAY
        days = [WEEKDAYS[day] for day in windows.weekdays]
        editions = [
            Edition(status, texts.write_handling(high, rates.low, days, windows.hour), age)
            for status, high, age in (
                ("superseded", rates.before, age_s + 300 * DAY),
                ("in_force", rates.high, age_s),
                ("draft", rates.draft, 5 * DAY),
            )
        ]
        handling = self.company.add_editions("runbook", texts.HANDLING_TITLE, TEAM, owner, *editions)
        elsewhere = ("runbook", "Handling incidents in the warehouse", "Warehouse")
        self.company.add_document(*elsewhere, self.cast.author, texts.ELSEWHERE, age_s=80 * DAY)
        return handling

    def _freeze(self, plan: Plan, estate: Estate) -> tuple[Freeze, Row]:
        """Write the notice of the current freeze, its previous edition, and a draft that prolongs it."""
        area = {one: estate.root(one).area for one in (FIRST, SECOND)}
        others = [one for one in names.AREAS if one not in area.values()]
        covered = [area[one] for one in area if plan.fates[one].freeze != "open"]
        exempt = next((area[one] for one in area if plan.fates[one].freeze == "exempt"), None)
        more = self.draws.sample("freeze.others", others, 3 - len(covered))
        starts_at = (self._today - self.draws.integer("freeze.since", 1, 4)) * DAY + 18 * HOUR
        ends_at = (self._today + self.draws.integer("freeze.until", 2, 6)) * DAY + 6 * HOUR
        freeze = Freeze(starts_at, ends_at, frozenset([*covered, *more]), exempt)
        swapped = frozenset([*(one for one in area.values() if one not in covered), *others[:1]])
        earlier = Freeze(starts_at, ends_at - DAY, swapped)
        longer = Freeze(starts_at, ends_at + 7 * DAY, freeze.areas | set(area.values()))
        return freeze, self._notices(
            self.draws.choice("freeze.campaign", names.CAMPAIGNS),
            ("superseded", earlier, 20 * DAY),
            ("in_force", freeze, 9 * DAY),
            ("draft", longer, DAY),
        )

    def _past_freeze(self, estate: Estate) -> list[Freeze]:
        """Write, in some cases, the notice of a past freeze that covered both candidates."""
        if not self.draws.chance("freeze.past", 0.4):
            return []
        first = self._today - self.draws.integer("freeze.past.since", 14, 20)
        areas = frozenset(estate.root(one).area for one in (FIRST, SECOND))
        freeze = Freeze(first * DAY + 18 * HOUR, (self._today - 6) * DAY + 6 * HOUR, areas)
        campaign = f"{self.draws.choice('freeze.past.campaign', names.CAMPAIGNS)}, first part"
        self._notices(campaign, ("in_force", freeze, 30 * DAY))
        return [freeze]

    def _notices(self, campaign: str, *editions: tuple[str, Freeze, int]) -> Row:
        """Write the editions of a freeze's notice, each with its status and age; return the one in force."""
        written = []
        for status, freeze, age_s in editions:
            body = texts.FREEZE.write(
                campaign=campaign,
                starts=_at(freeze.starts_at),
                ends=_at(freeze.ends_at),
                areas=sorted(freeze.areas),
                excepts=freeze.exempt is not None,
                exempt=freeze.exempt,
            )
            written.append(Edition(status, body, age_s))
        title = texts.FREEZE_TITLE.format(campaign=campaign)
        return self.company.add_editions("notice", title, "Operations", self.cast.author, *written)

    def _on_call(self) -> tuple[Person, Sequence[str]]:
        """Write the roster, and mails that may hand over the on-call phone.

        Returns:
            The person who has it, and the ids of what says so: the roster, and the newest mail.
        """
        company, managers, today = self.company, [self.cast.offices[MANAGER]], self._today
        managers += [company.hire(new_name(company, "manager", number), MANAGER, TEAM) for number in range(2)]
        managers.sort(key=lambda one: one.id)
        # The directory names the first of them by id, and that manager is never on call.
        on_call = self.draws.choice("on_call", managers[1:])
        others = [one for one in managers if one is not on_call]
        news = self.draws.choice("on_call.news", ("none", "given", "given", "taken_back"))
        listed = self.draws.choice("on_call.listed", others) if news == "given" else on_call
        roster = self._rosters(managers, listed)
        if news == "none":
            mail = self._handover(texts.HANDOVER, today + 8, on_call, others[0], age_s=2 * DAY)
        elif news == "given":
            mail = self._handover(texts.HANDOVER, today, listed, on_call, age_s=2 * DAY)
        else:
            self._handover(texts.HANDOVER, today, on_call, others[1], age_s=3 * DAY)
            mail = self._handover(texts.TAKEN_BACK, today, on_call, others[1], age_s=DAY)
        return on_call, (roster["id"], mail["id"])

    def _rosters(self, managers: Sequence[Person], listed: Person) -> Row:
        """Write the roster, and its previous edition with another person for this week; return the one in force."""
        wrong = next(one for one in managers if one is not listed)
        before = Edition("superseded", self._roster(managers, wrong), 60 * DAY)
        now = Edition("in_force", self._roster(managers, listed), 25 * DAY)
        return self.company.add_editions("roster", texts.ROSTER_TITLE, TEAM, self.cast.author, before, now)

    def _roster(self, managers: Sequence[Person], now: Person) -> str:
        weeks = []
        for week in range(*_WEEKS):
            person = now if week == 0 else self.draws.choice("roster", managers, week)
            first = (monday(self._today) + 7 * week) * DAY
            span = {"first": to_date(first), "last": to_date(first + 6 * DAY)}
            weeks.append({**span, "name": person.name, "id": person.id})
        return texts.ROSTER.write(weeks=weeks)

    def _handover(self, text: Template, day: int, of: Person, to: Person, *, age_s: int) -> Row:
        """Write a mail in which a duty manager hands the phone over for some days, or takes that back."""
        first = to_date((day - self.draws.integer("handover.since", 0, 1)) * DAY)
        last = to_date((day + self.draws.integer("handover.until", 1, 2)) * DAY)
        phone = of if text is texts.TAKEN_BACK else to
        body = text.write(first=first, last=last, name=phone.name, id=phone.id, of=f"{of.name} ({of.id})")
        return self._mail(of, texts.HANDOVER_SUBJECT, body, age_s=age_s)

    def _mail(self, sender: Person, subject: str, body: str, *, age_s: int) -> Row:
        return self.company.add_message(sender, TEAM, subject, body, age_s=age_s)


def _at(instant: int) -> str:
    return to_iso(instant).replace("T", " ").removesuffix(":00Z")
