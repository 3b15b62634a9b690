"""An inbox on paper: requests written by hand, and what the tools at the desk answer about them."""

from dataclasses import dataclass, field
from typing import Any

from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso, to_iso

from ..paper import Paper, Refusal, Shown, document

NOW = from_iso("2030-04-15T10:00:00Z")
ME, BOSS, HEAD, SECOND, KEEPER = "ann.agent", "bo.boss", "hanna.head", "sue.second", "kay.keeper"
APART = "CC-999"
QUOTES_FROM, BEFORE_FROM = 3000, 5000
WINDOW_DAYS = 7
SETUP_HOURS = 10
IN_FORCE_S = 5 * DAY
PURCHASE, INVOICE, TRAINING = "purchase_approval", "invoice_approval", "training_approval"

RULES = """\
Requests of one requester within {window} days of each other are one purchase. Purchases of {quotes:,} EUR or more need
quotes. Some things are not bought this way: {excluded}. Rejected as not_eligible. The set whose
setup hours add up to no more than the {hours} hours of Facilities is approved. All is handed back ({code}).
"""
LETTER = f"""\
Until May, Ann ({ME}) covers for me. It extends to purchases up to 8,000 EUR, invoices up to 5,000 EUR and training \
up to 2,000 EUR. Anything above goes to Sue Second ({SECOND}). Whatever the amount, everything on cost centre {APART} \
goes to Kay Keeper ({KEEPER}).
"""


def rules(document_id: str, age_s: int, quotes: int, excluded: str, **columns: Any) -> Shown:
    """Return a version of the rules of spending."""
    code = columns.pop("code", "cover_ended")
    hours = columns.pop("hours", SETUP_HOURS)
    body = RULES.format(window=WINDOW_DAYS, quotes=quotes, excluded=excluded, hours=hours, code=code)
    return document(document_id, "policy", "Spending rules of the units", body, NOW - age_s, **columns)


def minutes(document_id: str, age_s: int, about: str) -> Shown:
    return document(document_id, "minutes", "Minutes", f"1. Paint.\n2. Absences: {about}", NOW - age_s)


def letter(document_id: str, age_s: int, body: str = LETTER, **columns: Any) -> Shown:
    return document(document_id, "letter", "Cover for Hanna Head", body, NOW - age_s, **columns)


def library() -> list[Shown]:
    """Return the documents of a desk whose cover holds."""
    return [
        rules("DOC-1", 30 * DAY, BEFORE_FROM, "tablet computers", status="superseded", hours=99),
        rules(
            "DOC-2", 20 * DAY, QUOTES_FROM, "mobile phones and gift cards", effective_from=NOW - IN_FORCE_S
        ),
        letter("DOC-3", 2 * DAY),
        minutes("DOC-4", HOUR, "the cover for Hanna Head stays."),
    ]


def dossier(request_id: str, amount: float = 400.0, *, age_s: int = HOUR, **columns: Any) -> Shown:
    """Return a request as its dossier shows it; fields and columns not given are those of a small purchase."""
    stated = {"amount": amount, "cost_centre": "CC-310", "supplier": "Linden Works", "priority": 2}
    stated |= {"benefit_points": 20, "setup_hours": 1}
    stated |= {name: columns.pop(name) for name in (*stated, "invoice_number") if name in columns}
    things = columns.pop("things", {"Whiteboard": stated["amount"]})
    usual = {
        "id": request_id,
        "type": PURCHASE,
        # Everybody asks for one thing only.
        "requester": f"requester.{'abcdefghi'[int(request_id.partition('-')[2])]}",
        "approver": HEAD,
        "submitted_at": to_iso(NOW - age_s),
        "fields": stated,
        "line_items": [{"text": text, "amount": cost} for text, cost in things.items()],
        "questions": [],
    }
    attachments = [{"reference": one} for one in columns.pop("quotes", ())]
    return {**usual, "attachments": attachments, **columns}


def quote(document_id: str, supplier: str) -> Shown:
    return document(document_id, "quote", "Quote", f"{supplier} offers: a thing.", NOW - 9 * DAY)


@dataclass
class Ledger:
    """The budget of a cost centre: what remains now, and after each refresh that is needed until it is fresh."""

    remaining: float
    after: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Reply:
    """What a requester does when asked: after how long, which quote is attached, and how many reads are stale."""

    delay_s: int = 2 * HOUR
    attaches: str | None = None
    stale_reads: int = 0


class Inbox(Paper):
    """The desk on paper.

    Attributes:
        records: Names of records with their suppliers.
        ledgers: Budgets that are short or stale, by cost centre; all others cover everything.
        replies: What requesters do when asked, by request.
        not_mine: Requests that the tools do not let the agent decide.
    """

    def __init__(self, *dossiers: Shown, documents: list[Shown] | None = None) -> None:
        super().__init__(NOW, f"Hi Ann ({ME}), please settle all.", documents or library())
        self.dossiers = {one["id"]: one for one in dossiers}
        self.records: dict[str, str] = {}
        self.ledgers: dict[str, Ledger] = {}
        self.replies: dict[str, Reply] = {}
        self.not_mine: set[str] = set()
        self._stale: dict[str, int] = {}

    @property
    def settled(self) -> dict[str, str]:
        """What became of each request: `approved`, `rejected:<reason>` or `passed_on:<person>`."""
        ends: dict[str, str] = {}
        for name, given in self.calls:
            if name == "approvalflow_pass_on":
                ends[given["request_id"]] = f"passed_on:{given['to']}"
            elif name == "approvalflow_decide_request" and given["request_id"] not in self.not_mine:
                reason = given.get("reason_code")
                ends[given["request_id"]] = f"rejected:{reason}" if reason else f"{given['decision']}d"
        return ends

    def approvalflow_list_inbox(self) -> Shown:
        return {"items": [{"id": one["id"], "approver": HEAD} for one in self.dossiers.values()]}

    def approvalflow_get_dossier(self, *, request_id: str) -> Shown:
        shown = self.dossiers[request_id]
        for question in shown["questions"]:
            if self.now >= from_iso(question["due_at"]) and question["answer"] is None:
                self._stale[request_id] -= 1
                if self._stale[request_id] < 0:
                    self._answered(shown, question)
        return {**shown, "questions": [dict(one) for one in shown["questions"]]}

    def approvalflow_ask_requester(self, *, request_id: str, question: str, about: str) -> Shown:
        reply = self.replies[request_id]
        asked = {"due_at": to_iso(self.now + reply.delay_s), "about": about, "answer": None}
        self.dossiers[request_id]["questions"].append(asked)
        self._stale[request_id] = reply.stale_reads
        return dict(asked)

    def approvalflow_decide_request(self, *, request_id: str, decision: str, reason_code: str = "") -> Shown:
        if request_id in self.not_mine:
            raise Refusal("not_covered")
        return {"id": request_id}

    def approvalflow_pass_on(self, *, request_id: str, to: str, reason: str) -> Shown:
        return {"id": request_id}

    def datahub_get_person(self, *, person_id: str) -> Shown:
        return {"id": person_id, "name": "Hanna Head", "role": "unit_head", "manager": BOSS}

    def datahub_get_approver(self, *, role: str) -> Shown:
        return {"approver": HEAD, "others": [KEEPER, SECOND]}

    def datahub_list_records(self, *, q: str) -> Shown:
        found = {name: supplier for name, supplier in self.records.items() if q in name}
        return {"items": [{"name": name, "fields": {"supplier": one}} for name, one in found.items()]}

    def datahub_list_budgets(self, *, cost_centre: str) -> Shown:
        years = [(f"{years}y {cost_centre}", NOW - years * 365 * DAY) for years in (1, 0)]
        periods = [
            {"id": one, "starts_at": to_iso(begun), "ends_at": to_iso(begun + 365 * DAY)}
            for one, begun in years
        ]
        return {"items": periods}

    def datahub_get_budget(self, *, budget_id: str) -> Shown:
        year, _, cost_centre = budget_id.partition(" ")
        ledger = self.ledgers.get(cost_centre, Ledger(1e6)) if year == "0y" else Ledger(0.0)
        return {
            "metric_id": cost_centre,
            "is_stale": bool(ledger.after),
            "remaining": ledger.remaining,
        }

    def datahub_refresh_data(self, *, metric_id: str) -> Shown:
        ledger = self.ledgers[metric_id]
        ledger.remaining = ledger.after.pop(0)
        return {"due_at": to_iso(self.now + 15 * MINUTE)}

    def _answered(self, shown: Shown, question: Shown) -> None:
        question["answer"] = "See what I attached."
        if quoted := self.replies[shown["id"]].attaches:
            shown["attachments"].append({"reference": quoted})
