"""The documents of a close: several editions of the manual, memos, mails, and owners' answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companyos.sdk.company import Cast, Company, Edition, Person, Row
from companyos.sdk.documents import Fields
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, MINUTE

from . import texts
from .books import Books
from .pack import CLOSE_APPROVAL
from .plan import ANSWERED, OLD_MEMO, SILENT, Variance

#: The fields of the manual that state a tolerance, in percent of the reference.
_TOLERANCES = ("major_balance", "major_result", "minor_balance", "minor_result")
#: The tolerances of the previous edition and of a draft, as multiples of those in force.
_OLDER, _DRAFT = 1.8, 0.6


def draw_rules(draws: Draws) -> Fields:
    """Draw the fields of the manual in force, as `texts.MANUAL` states them."""
    source, prior = draws.sample("rules.reasons", range(11, 90), 2)
    balance = draws.choice("tolerance.balance", (0.4, 0.5, 0.6, 0.8))
    result = draws.choice("tolerance.result", (1.0, 1.2, 1.5, 1.6))
    minor = draws.choice("tolerance.minor", (1.5, 2.0, 2.5))
    return {
        "note": False,
        "title": texts.MANUAL_TITLE,
        "approval": CLOSE_APPROVAL,
        "major_balance": balance,
        "major_result": result,
        "minor_balance": round(balance * minor, 2),
        "minor_result": round(result * minor, 2),
        "runs": draws.integer("rules.runs", 2, 3),
        "high": draws.choice("rules.high", (1.5, 2.0, 2.5, 3.0)),
        "source": f"close_{source}",
        "prior": f"close_{prior}",
    }


def write_manual(draws: Draws, company: Company, cast: Cast, rules: Fields) -> Row:
    """Write the manual in force, its previous edition, a draft, and the warehouse's rules on closing."""
    age = draws.integer("manual.age", 40, 200) * DAY
    before, draft = (
        rules | {one: round(rules[one] * factor, 2) for one in _TOLERANCES} for factor in (_OLDER, _DRAFT)
    )
    manual = company.add_editions(
        "policy",
        texts.MANUAL_TITLE,
        "Finance",
        cast.offices["cfo"],
        Edition("superseded", texts.MANUAL.write(**before), age + 300 * DAY),
        Edition("in_force", texts.MANUAL.write(**rules), age),
        Edition("draft", texts.MANUAL.write(**draft | {"note": True}), 5 * DAY),
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
        for name, one in sorted(variances.items()):
            if self.draws.chance("claim", 0.6, name):
                self._send_claim(name, one.claimed)
        return memo

    def add_memo(self, office: str, amounts: Mapping[str, float], *, age_s: int, **columns: Any) -> Row:
        """Write a memo on what these amounts of the variances are."""
        entity, quarter, author = self.books.entity, self.books.period["name"], self.cast.offices[office]
        title = f"Differences of {entity['name']}, {quarter}"
        key = f"{entity['id']}.{author.id}.{columns.get('status', 'in_force')}"
        lines = [
            {
                "line": _label(name),
                "metric_id": self._metric_id(name),
                "amount": amount,
                "cause": self.draws.choice("memo.cause", texts.CAUSES, key, name),
            }
            for name, amount in sorted(amounts.items())
        ]
        body = texts.MEMO.write(
            title=title,
            quarter=quarter,
            entity=entity["name"],
            entity_id=entity["id"],
            lines=lines,
            closing=self.draws.choice("memo.closing", texts.MEMO_CLOSINGS, key),
        )
        links = [entity["id"], *(one["metric_id"] for one in lines)]
        return self.company.add_document(
            "memo", title, "Finance", author, body, age_s=age_s, links=links, **columns
        )

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
                self._metric_id(name),
                self._answer(name, variances.get(name)),
                delay_s=self.draws.integer("answer.delay", 3, 14, name) * 5 * MINUTE,
                question=texts.WHICH if asks_back else None,
                needs=self.books.period["id"] if asks_back else None,
            )

    def _answer(self, name: str, variance: Variance | None) -> str:
        if variance is None or not variance.answer:
            return self.draws.choice("answer.silent", texts.SILENT, name)
        cause = self.draws.choice("answer.cause", texts.CAUSES, name)
        return self.draws.choice("answer.told", texts.EXPLANATIONS, name).write(
            amount=variance.answer, cause=cause
        )

    def _send_claim(self, name: str, amount: float) -> None:
        """Send the agent an older mail that explains what nobody can explain now, or explains too much."""
        body = self.draws.choice("claim.words", texts.CLAIM, name).write(
            line=_label(name),
            entity=self.books.entity["name"],
            cause=self.draws.choice("claim.cause", texts.CAUSES, name),
            amount=amount,
        )
        metric_id, age_s = self._metric_id(name), self.draws.integer("claim.age", 2, 9, name) * DAY
        self.company.add_message(
            self._claimant(name), self.cast.persona, f"About {metric_id}", body, age_s=age_s, about=metric_id
        )

    def _claimant(self, name: str) -> Person:
        """Draw whether a line's owner or the owner of another one claims to explain it."""
        owner = self.books.owners[name]
        others = [one for one in self.books.owners.values() if one != owner]
        if not others or self.draws.chance("claim.owner", 0.5, name):
            return owner
        return self.draws.choice("claim.sender", others, name)

    def _metric_id(self, name: str) -> str:
        return str(self.books.metrics[name]["id"])


def _label(name: str) -> str:
    return name.replace("_", " ")
