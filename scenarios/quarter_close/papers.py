"""The documents of a close: several editions of the manual, memos, mails, and owners' answers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from companyos.company import Cast, Company, Edition, Person, Row
from companyos.sdk.documents import Fields
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, MINUTE

from . import texts
from .books import Books
from .pack import CLOSE_APPROVAL
from .plan import ANSWERED, OLD_MEMO, SILENT, Tolerances, Variance
from .words import CAUSES


@dataclass(frozen=True)
class Rules:
    """The rules of the manual in force besides the tolerances.

    Attributes:
        runs: The number of consecutive failed runs after which a source counts as unavailable.
        high: The percentage of the reference above which a ticket has high priority.
        source: The reason code for an unavailable source.
        prior: The reason code for a reopened earlier quarter.
    """

    runs: int
    high: float
    source: str
    prior: str


def draw_rules(draws: Draws) -> Rules:
    """Draw the rules of the manual."""
    source, prior = draws.sample("rules.reasons", range(11, 90), 2)
    return Rules(
        runs=draws.integer("rules.runs", 2, 3),
        high=draws.choice("rules.high", (1.5, 2.0, 2.5, 3.0)),
        source=f"close_{source}",
        prior=f"close_{prior}",
    )


def write_manual(draws: Draws, company: Company, cast: Cast, rules: Rules, tolerances: Tolerances) -> Row:
    """Write the manual in force, its previous edition, a draft, and the warehouse's rules on closing."""
    owner, age = cast.offices["cfo"], draws.integer("manual.age", 40, 200) * DAY

    def edition(factor: float, age_s: int, status: str) -> Edition:
        by = tolerances.edition(factor) if factor != 1 else tolerances.by
        body = texts.MANUAL.write(
            note=status == "draft",
            title=texts.MANUAL_TITLE,
            approval=CLOSE_APPROVAL,
            **asdict(rules),
            **{f"{size}_{category}": percent for (size, category), percent in by.items()},
        )
        return Edition(status, body, age_s)

    manual = company.add_editions(
        "policy",
        texts.MANUAL_TITLE,
        "Finance",
        owner,
        edition(tolerances.older, age + 300 * DAY, "superseded"),
        edition(1, age, "in_force"),
        edition(tolerances.draft, 5 * DAY, "draft"),
    )
    lead = cast.offices["operations_lead"]
    title = "Closing the warehouse at the end of a quarter"
    company.add_document("policy", title, "Operations", lead, texts.CLOSING_TIME, age_s=80 * DAY)
    return manual


def write_explanations(
    draws: Draws,
    company: Company,
    cast: Cast,
    books: Books,
    variances: Mapping[str, Variance],
    lines: Sequence[str],
) -> None:
    """Write what explains the variances: memos, the owners' answers, and mails that claim to."""
    _write_memos(draws, company, cast, books, variances)
    _write_answers(draws, company, books, variances, lines)
    _write_claims(draws, company, books, variances, cast.persona)


def _write_memos(
    draws: Draws, company: Company, cast: Cast, books: Books, variances: Mapping[str, Variance]
) -> None:
    """Write the controller's memo, its previous edition if that differed, and a memo that does not count."""
    explained = {name: one.memo for name, one in variances.items() if one.memo}
    older = {name: one.older or one.memo for name, one in variances.items() if one.older or one.memo}
    controller = cast.offices["controller"]
    before = None
    if any(one.kind == OLD_MEMO for one in variances.values()):
        before = _memo(draws, company, books, controller, older, age_s=4 * DAY, status="superseded")
    if explained:
        supersedes = before["id"] if before else None
        _memo(draws, company, books, controller, explained, age_s=DAY, supersedes=supersedes)
    # About lines that only the owner can explain, whether or not they do, so that both instances look alike.
    others = {name: _claimed(one) for name, one in variances.items() if one.kind in (SILENT, ANSWERED)}
    if others:
        _memo(draws, company, books, cast.offices["finance_director"], others, age_s=2 * DAY)


def write_memo_of(
    draws: Draws, company: Company, cast: Cast, books: Books, amounts: Mapping[str, float]
) -> None:
    """Write the controller's memo on other books."""
    _memo(draws, company, books, cast.offices["controller"], amounts, age_s=DAY)


def _memo(
    draws: Draws,
    company: Company,
    books: Books,
    author: Person,
    amounts: Mapping[str, float],
    *,
    age_s: int,
    status: str = "in_force",
    supersedes: str | None = None,
) -> Row:
    entity, quarter = books.entity, books.period["name"]
    title = f"Differences of {entity['name']}, {quarter}"
    key = f"{entity['id']}.{author.id}.{status}"
    body = texts.MEMO.write(
        title=title,
        quarter=quarter,
        entity=entity["name"],
        entity_id=entity["id"],
        lines=_memo_lines(draws, books, amounts, key),
        closing=draws.choice("memo.closing", texts.MEMO_CLOSINGS, key),
    )
    links = [entity["id"], *(books.metrics[name]["id"] for name in sorted(amounts))]
    return company.add_document(
        "memo",
        title,
        "Finance",
        author,
        body,
        age_s=age_s,
        status=status,
        supersedes=supersedes,
        links=links,
    )


def _memo_lines(draws: Draws, books: Books, amounts: Mapping[str, float], key: str) -> list[Fields]:
    return [
        {
            "line": name.replace("_", " "),
            "metric_id": books.metrics[name]["id"],
            "amount": amount,
            "cause": draws.choice("memo.cause", CAUSES, key, name),
        }
        for name, amount in sorted(amounts.items())
    ]


def _write_answers(
    draws: Draws, company: Company, books: Books, variances: Mapping[str, Variance], lines: Sequence[str]
) -> None:
    """Prepare the owners' answers about variances; in some pairs an owner first asks which quarter."""
    asking = draws.choice("answer.asking", sorted({one.id for one in books.owners.values()}))
    asks = draws.chance("answer.asks", 0.5)
    for name in lines:
        variance = variances.get(name)
        if variance is not None and variance.answer:
            wording = draws.choice("answer.told", texts.EXPLANATIONS, name)
            cause = draws.choice("answer.cause", CAUSES, name)
            body = wording.write(amount=variance.answer, cause=cause)
        else:
            body = draws.choice("answer.silent", texts.SILENT, name)
        asks_back = asks and books.owners[name].id == asking
        company.knows(
            books.owners[name],
            books.metrics[name]["id"],
            body,
            delay_s=draws.integer("answer.delay", 3, 14, name) * 5 * MINUTE,
            question=texts.WHICH if asks_back else None,
            needs=books.period["id"] if asks_back else None,
        )


def _write_claims(
    draws: Draws, company: Company, books: Books, variances: Mapping[str, Variance], me: Person
) -> None:
    """Send the agent older mails that explain lines nobody can explain now, or explain too much."""
    for name, one in sorted(variances.items()):
        if not draws.chance("claim", 0.6, name):
            continue
        others = [person for person in books.owners.values() if person != books.owners[name]]
        is_owner = not others or draws.chance("claim.owner", 0.5, name)
        sender = books.owners[name] if is_owner else draws.choice("claim.sender", others, name)
        body = draws.choice("claim.words", texts.CLAIM, name).write(
            line=name.replace("_", " "),
            entity=books.entity["name"],
            cause=draws.choice("claim.cause", CAUSES, name),
            amount=_claimed(one),
        )
        company.add_message(
            sender,
            me,
            f"About {books.metrics[name]['id']}",
            body,
            age_s=draws.integer("claim.age", 2, 9, name) * DAY,
            about=books.metrics[name]["id"],
        )


def _claimed(variance: Variance) -> float:
    """Return the amount that somebody claims to explain: everything that no memo explains."""
    return round(variance.left + variance.answer, 2)
