"""The documents of a close: several editions of the manual, memos, mails, and owners' answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companyos.company import Cast, Company, Edition, Person, Row
from companyos.sdk.documents import Fields
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, MINUTE

from . import texts
from .books import Books
from .pack import CLOSE_APPROVAL
from .plan import ANSWERED, OLD_MEMO, SILENT, Variance
from .words import CAUSES

#: The tolerances of the previous edition and of a draft, as multiples of those in force.
_OLDER, _DRAFT = 1.8, 0.6


@dataclass(frozen=True)
class Rules:
    """The rules of the manual in force.

    Attributes:
        tolerances: The tolerances in percent of the reference, by class and category such as `major_balance`.
        runs: The number of consecutive failed runs after which a source counts as unavailable.
        high: The percentage of the reference above which a ticket has high priority.
        source: The reason code for an unavailable source.
        prior: The reason code for a reopened earlier quarter.
    """

    tolerances: Mapping[str, float]
    runs: int
    high: float
    source: str
    prior: str

    def edition(self, status: str, age_s: int, factor: float = 1.0) -> Edition:
        """Return an edition of the manual in which all tolerances are so many times as large."""
        body = texts.MANUAL.write(
            note=status == "draft",
            title=texts.MANUAL_TITLE,
            approval=CLOSE_APPROVAL,
            **vars(self),
            **{one: round(percent * factor, 2) for one, percent in self.tolerances.items()},
        )
        return Edition(status, body, age_s)


def draw_rules(draws: Draws) -> Rules:
    """Draw the rules of the manual."""
    source, prior = draws.sample("rules.reasons", range(11, 90), 2)
    balance = draws.choice("tolerance.balance", (0.4, 0.5, 0.6, 0.8))
    result = draws.choice("tolerance.result", (1.0, 1.2, 1.5, 1.6))
    minor = draws.choice("tolerance.minor", (1.5, 2.0, 2.5))
    return Rules(
        tolerances={
            "major_balance": balance,
            "major_result": result,
            "minor_balance": round(balance * minor, 2),
            "minor_result": round(result * minor, 2),
        },
        runs=draws.integer("rules.runs", 2, 3),
        high=draws.choice("rules.high", (1.5, 2.0, 2.5, 3.0)),
        source=f"close_{source}",
        prior=f"close_{prior}",
    )


def write_manual(draws: Draws, company: Company, cast: Cast, rules: Rules) -> Row:
    """Write the manual in force, its previous edition, a draft, and the warehouse's rules on closing."""
    age = draws.integer("manual.age", 40, 200) * DAY
    manual = company.add_editions(
        "policy",
        texts.MANUAL_TITLE,
        "Finance",
        cast.offices["cfo"],
        rules.edition("superseded", age + 300 * DAY, _OLDER),
        rules.edition("in_force", age),
        rules.edition("draft", 5 * DAY, _DRAFT),
    )
    lead = cast.offices["operations_lead"]
    title = "Closing the warehouse at the end of a quarter"
    company.add_document("policy", title, "Operations", lead, texts.CLOSING_TIME, age_s=80 * DAY)
    return manual


@dataclass(frozen=True)
class Correspondence:
    """What people write about the variances of some books."""

    draws: Draws
    company: Company
    cast: Cast
    books: Books

    def explain(self, variances: Mapping[str, Variance]) -> Row | None:
        """Write what explains the variances: memos, the owners' answers, and mails that claim to.

        Returns:
            The controller's memo in force, if there is one.
        """
        memo = self._write_memos(variances)
        self._prepare_answers(variances)
        self._send_claims(variances)
        return memo

    def add_memo(
        self,
        office: str,
        amounts: Mapping[str, float],
        *,
        age_s: int,
        status: str = "in_force",
        supersedes: str | None = None,
    ) -> Row:
        """Write a memo on what these amounts of the variances are."""
        entity, quarter, author = self.books.entity, self.books.period["name"], self.cast.offices[office]
        title, key = f"Differences of {entity['name']}, {quarter}", f"{entity['id']}.{author.id}.{status}"
        body = texts.MEMO.write(
            title=title,
            quarter=quarter,
            entity=entity["name"],
            entity_id=entity["id"],
            lines=self._memo_lines(amounts, key),
            closing=self.draws.choice("memo.closing", texts.MEMO_CLOSINGS, key),
        )
        return self.company.add_document(
            "memo",
            title,
            "Finance",
            author,
            body,
            age_s=age_s,
            status=status,
            supersedes=supersedes,
            links=[entity["id"], *(self.books.metrics[name]["id"] for name in sorted(amounts))],
        )

    def _memo_lines(self, amounts: Mapping[str, float], key: str) -> list[Fields]:
        return [
            {
                "line": name.replace("_", " "),
                "metric_id": self.books.metrics[name]["id"],
                "amount": amount,
                "cause": self.draws.choice("memo.cause", CAUSES, key, name),
            }
            for name, amount in sorted(amounts.items())
        ]

    def _write_memos(self, variances: Mapping[str, Variance]) -> Row | None:
        """Write the controller's memo, its previous edition if that differed, and a memo that does not count."""
        explained = {name: one.memo for name, one in variances.items() if one.memo}
        older = {name: one.older or one.memo for name, one in variances.items() if one.older or one.memo}
        before = memo = None
        if any(one.kind == OLD_MEMO for one in variances.values()):
            before = self.add_memo("controller", older, age_s=4 * DAY, status="superseded")["id"]
        if explained:
            memo = self.add_memo("controller", explained, age_s=DAY, supersedes=before)
        # About lines that only the owner can explain, whether or not they do, so that both instances look alike.
        others = {name: one.claimed for name, one in variances.items() if one.kind in (SILENT, ANSWERED)}
        if others:
            self.add_memo("finance_director", others, age_s=2 * DAY)
        return memo

    def _prepare_answers(self, variances: Mapping[str, Variance]) -> None:
        """Prepare the owners' answers about all lines; in some pairs an owner first asks which quarter."""
        owners = self.books.owners
        curious = self.draws.choice("answer.asking", sorted({one.id for one in owners.values()}))
        asks = self.draws.chance("answer.asks", 0.5)
        for name, owner in owners.items():
            asks_back = asks and owner.id == curious
            self.company.knows(
                owner,
                self.books.metrics[name]["id"],
                self._answer(name, variances.get(name)),
                delay_s=self.draws.integer("answer.delay", 3, 14, name) * 5 * MINUTE,
                question=texts.WHICH if asks_back else None,
                needs=self.books.period["id"] if asks_back else None,
            )

    def _answer(self, name: str, variance: Variance | None) -> str:
        if variance is None or not variance.answer:
            return self.draws.choice("answer.silent", texts.SILENT, name)
        wording = self.draws.choice("answer.told", texts.EXPLANATIONS, name)
        return wording.write(amount=variance.answer, cause=self.draws.choice("answer.cause", CAUSES, name))

    def _send_claims(self, variances: Mapping[str, Variance]) -> None:
        """Send the agent older mails that explain lines nobody can explain now, or explain too much."""
        for name, one in sorted(variances.items()):
            if self.draws.chance("claim", 0.6, name):
                metric_id = self.books.metrics[name]["id"]
                body = self.draws.choice("claim.words", texts.CLAIM, name).write(
                    line=name.replace("_", " "),
                    entity=self.books.entity["name"],
                    cause=self.draws.choice("claim.cause", CAUSES, name),
                    amount=one.claimed,
                )
                self.company.add_message(
                    self._claimant(name),
                    self.cast.persona,
                    f"About {metric_id}",
                    body,
                    age_s=self.draws.integer("claim.age", 2, 9, name) * DAY,
                    about=metric_id,
                )

    def _claimant(self, name: str) -> Person:
        """Draw whether a line's owner or the owner of another one claims to explain it."""
        owner = self.books.owners[name]
        others: Sequence[Person] = [one for one in self.books.owners.values() if one != owner]
        if not others or self.draws.chance("claim.owner", 0.5, name):
            return owner
        return self.draws.choice("claim.sender", others, name)
