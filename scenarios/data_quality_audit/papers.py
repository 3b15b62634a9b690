"""The documents of an audit: several editions of the rules, releases, minutes, and colleagues' claims."""

from companyos.sdk.company import Cast, Company, Row
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR
from scenarios.packs.analytics import AUDIT, Area, Feed, names, texts

from .estate import FIRST, Plan, Resting, Tolerance

#: Colleagues' claims; none is evidence, and some are wrong.
CLAIMS = (
    "{board} has more than doubled. That is {jumped}, surely; take it off before anybody sees it.",
    "{stale} was last loaded weeks ago. Everything that rests on it has to go.",
    "The job of {frozen} reported no error this morning, so that one is fine.",
    "I compared {other} with the control total of last month myself: it is broken.",
)

#: Reason codes for a refusal: each company joins one of these with one of the others.
REASONS = (
    ("release", "consent", "clearance", "authority", "approval", "assent", "mandate", "sanction", "order"),
    ("missing", "pending", "withheld", "unsigned", "absent", "outstanding", "refused", "not_given"),
)


def draw_reason(draws: Draws) -> str:
    """Draw the reason code with which the rules hand an audit back."""
    return "_".join(draws.choice("reason", words, number) for number, words in enumerate(REASONS))


def write_rules(draws: Draws, company: Company, cast: Cast, tolerance: Tolerance, reason: str) -> Row:
    """Write the rules in force, the edition before them, a draft, and the rules of another department."""
    owner, title = cast.offices["chief_data_officer"], texts.POLICY_TITLE
    age = draws.integer("rules.age", 40, 200) * DAY

    def edition(tenths: int, age_s: int, status: str, supersedes: str | None = None) -> Row:
        body = texts.POLICY.write(title=title, tolerance=tenths / 10, reason=reason)
        return company.add_document(
            "policy", title, "Data", owner, body, age_s=age_s, status=status, supersedes=supersedes
        )

    before = edition(tolerance.superseded, age + 300 * DAY, "superseded")
    rules = edition(tolerance.in_force, age, "in_force", before["id"])
    edition(tolerance.draft, 6 * DAY, "draft", rules["id"])
    lead = cast.offices["operations_lead"]
    company.add_document(
        "policy", "Quarantine of returned goods", "Warehouse", lead, texts.GOODS, age_s=90 * DAY
    )
    return rules


def write_releases(draws: Draws, company: Company, cast: Cast, plan: Plan, boards: list[Resting]) -> None:
    """Write the release of every statutory dashboard; in place of a missing one, write a withdrawn one."""
    for resting in (one for one in boards if one.is_statutory):
        record = resting.board.record
        is_missing = plan.lacks_release and resting.suspect == FIRST
        company.add_document(
            "release",
            f"Release for quarantine: {record['name']}",
            "Data",
            cast.offices["chief_data_officer"],
            texts.RELEASE.format(board=record["name"], board_id=record["id"]),
            age_s=draws.integer("release.age", 20, 90, record["id"]) * DAY,
            status="withdrawn" if is_missing else "in_force",
            links=[record["id"]],
        )


def write_minutes(draws: Draws, company: Company, cast: Cast, area: Area, jumped: Feed) -> None:
    """Write the minutes that explain why a feed's total jumped."""
    cause = draws.choice("minutes.cause", names.ONE_OFFS)
    body = texts.MINUTES.format(area=area.name, feed=jumped.record["name"], cause=cause)
    company.add_document(
        "minutes",
        f"Weekly meeting of {area.name}",
        "Sales",
        cast.offices["commercial_director"],
        body,
        age_s=2 * DAY,
        links=[jumped.record["id"]],
    )


def open_ticket(draws: Draws, company: Company, cast: Cast, area: Area, facts: dict[str, str]) -> Row:
    """Open the audit's ticket, with the claims of colleagues about feeds and dashboards, by name."""
    words = draws.choice("ticket.words", names.DOUBTS).format(area=area.name)
    ticket = company.add_ticket(
        company.numbers.reserve("TD"),
        AUDIT,
        f"Doubts about the dashboards of {area.name}",
        words,
        cast.reporter,
    )
    ticket["created_at"] = ticket["updated_at"] = company.start - 5 * HOUR
    for number, claim in enumerate(draws.shuffled("claims", CLAIMS), start=1):
        author = draws.choice("claims.author", list(cast.offices.values()), number)
        company.add_comment(ticket, author, claim.format(**facts), number=number)
    return ticket
