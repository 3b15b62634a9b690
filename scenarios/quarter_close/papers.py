"""The documents of a close: several editions of the manual, memos, mails, and owners' answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from companyos.sdk.company import Cast, Company, Edition, Row
from companyos.sdk.documents import Fields
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, MINUTE

from . import texts
from .books import Books, Line, label
from .pack import CLOSE_APPROVAL
from .plan import ANSWERED, MEMO, OLD_MEMO, SILENT

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

    def explain(self) -> Row | None:
        """Write what explains the variances, or claims to, and return the controller's memo in force."""
        self._prepare_answers()
        for line in self.books.lines_by_name:
            if line.outcome is not None and self.draws.chance("claim", 0.6, line.name):
                self._send_claim(line)
        return self.write_memos()

    def write_memos(self) -> Row | None:
        """Write the controller's memo, its previous edition if that differed, and a memo that does not count.

        Returns:
            The controller's memo in force, if there is one.
        """
        memo, lines = None, self.books.lines_by_name
        if explained := [line for line in lines if line.outcome in (MEMO, OLD_MEMO)]:
            differs = any(line.outcome == OLD_MEMO for line in explained)
            older = [("superseded", 4 * DAY, "older")] if differs else []
            memo = self._write_memo("controller", explained, *older, ("in_force", DAY, "memo"))
        # About lines that only the owner can explain, whether or not they do, so that both instances look alike.
        if others := [line for line in lines if line.outcome in (SILENT, ANSWERED)]:
            self._write_memo("finance_director", others, ("in_force", 2 * DAY, "claimed"))
        return memo

    def _write_memo(self, office: str, lines: Sequence[Line], *editions: tuple[str, int, str]) -> Row:
        """Write a memo on lines; each edition has a status, an age, and a part of the variances that it explains."""
        entity, quarter, author = self.books.entity, self.books.period["name"], self.cast.offices[office]
        title, written = f"Differences of {entity['name']}, {quarter}", []
        for status, age_s, part in editions:
            own = self.draws.about(f"{entity['id']}.{author.id}.{status}")
            body = texts.MEMO.write(
                title=title,
                quarter=quarter,
                entity=entity["name"],
                entity_id=entity["id"],
                lines=[
                    {
                        "line": label(line.name),
                        "metric_id": line.id,
                        "amount": getattr(line, part),
                        "cause": own.choice("memo.cause", texts.CAUSES, line.name),
                    }
                    for line in lines
                ],
                closing=own.choice("memo.closing", texts.MEMO_CLOSINGS),
            )
            written.append(Edition(status, body, age_s))
        links = [entity["id"], *(line.id for line in lines)]
        return self.company.add_editions("memo", title, "Finance", author, *written, links=links)

    def _prepare_answers(self) -> None:
        """Prepare the owners' answers about all lines; in some pairs an owner first asks which quarter."""
        asking = self.draws.choice("answer.asking", sorted({line.owner.id for line in self.books.lines}))
        asks = self.draws.chance("answer.asks", 0.5)
        for line in self.books.lines:
            own, asks_back = self.draws.about(line.name), asks and line.owner.id == asking
            self.company.knows(
                line.owner,
                line.id,
                _draw_answer(own, line.answer),
                delay_s=own.integer("answer.delay", 3, 14) * 5 * MINUTE,
                question=texts.WHICH if asks_back else None,
                needs=self.books.period["id"] if asks_back else None,
            )

    def _send_claim(self, line: Line) -> None:
        """Send the agent an older mail that explains what nobody can explain now, or explains too much."""
        own = self.draws.about(line.name)
        body = own.choice("claim.words", texts.CLAIM).write(
            line=label(line.name),
            entity=self.books.entity["name"],
            cause=own.choice("claim.cause", texts.CAUSES),
            amount=line.claimed,
        )
        others = [one.owner for one in self.books.lines if one.owner != line.owner]
        is_owner = not others or own.chance("claim.owner", 0.5)
        self.company.add_message(
            line.owner if is_owner else own.choice("claim.sender", others),
            self.cast.persona,
            f"About {line.id}",
            body,
            age_s=own.integer("claim.age", 2, 9) * DAY,
            about=line.id,
        )


def _draw_answer(own: Draws, amount: float) -> str:
    """Draw the words in which an owner explains an amount, or that they cannot explain anything."""
    if not amount:
        return own.choice("answer.silent", texts.SILENT)
    cause = own.choice("answer.cause", texts.CAUSES)
    return own.choice("answer.told", texts.EXPLANATIONS).write(amount=amount, cause=cause)
