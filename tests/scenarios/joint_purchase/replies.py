"""A company written by hand, as the tools show it to a buyer: two departments, their budgets, and an offer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companyos.sdk.asking import Asker
from companyos.sdk.simtime import MINUTE, from_iso, to_iso
from scenarios.joint_purchase import words
from scenarios.joint_purchase.agents import Work
from scenarios.joint_purchase.scenario import BRIEF
from scenarios.joint_purchase.terms import Lot, Offer, Rules
from tests.scenarios.scripted import Arguments, Conversation, by, listed

START = from_iso("2031-05-05T08:30:00Z")
ONE, OTHER = "Field Service East", "Design Studio North"
ME = "ann.lee"
TEXT = BRIEF.format(
    first="Ann",
    name="Ann Lee",
    id=ME,
    employer="Dunmore",
    one=ONE,
    other=OTHER,
    item="first-aid course places B12",
    item_id="IT-7",
    wanted=40,
    sender="Ada Singh",
)
OFFER = Offer((Lot(40, 4000.0), Lot(30, 3100.0)), "2031-07-20")
RULES = Rules({"courses": "head_count"}, (4000.0, 9000.0), ("reserve", "smaller_lot", "next_quarter"), 1000.0)
QUARTERS = {
    "1": ("2031-04-01T00:00:00Z", "2031-07-01T00:00:00Z"),
    "2": ("2031-07-01T00:00:00Z", "2031-10-01T00:00:00Z"),
}
LATER = to_iso(START + 15 * MINUTE)


def person(person_id: str, **facts: Any) -> dict[str, Any]:
    """Return a person as the directory shows somebody who is present."""
    here: dict[str, Any] = {
        "is_away": False,
        "away_until": None,
        "delegate": None,
        "delegate_types": [],
        "delegate_limit": None,
    }
    return {"id": person_id, **here, **facts}


def budget(centre: str, quarter: str, owner: str) -> dict[str, Any]:
    """Return a line of the list of budgets; `BUD-11` is the first department's of this quarter."""
    starts_at, ends_at = QUARTERS[quarter]
    told = {"id": f"BUD-{centre}{quarter}", "limit_amount": 3000.0, "owner": owner}
    return {**told, "starts_at": starts_at, "ends_at": ends_at}


DEPARTMENTS = [
    {"id": "DEP-1", "name": ONE, "fields": {"head": "ada", "cost_centre": "CC-1", "reserve": "CC-9"}},
    {"id": "DEP-2", "name": OTHER, "fields": {"head": "bo", "cost_centre": "CC-2", "reserve": "none"}},
]
BUDGETS = {
    "CC-1": [budget("1", "2", "ada"), budget("1", "1", "ada")],
    "CC-2": [budget("2", "2", "bo"), budget("2", "1", "bo")],
    "CC-9": [budget("9", "1", "kit")],
}


def shown(budget_id: str, committed: float = 0.0, reserved: float = 0.0, **facts: Any) -> dict[str, Any]:
    """Return a budget of 3,000 EUR with a fresh ledger, as the tool shows it."""
    told = {"id": budget_id, "metric_id": f"MET-{budget_id}", "committed": committed, "reserved": reserved}
    return {**told, "remaining": 3000.0 - committed - reserved, "is_stale": False, **facts}


def mail(number: int, sender: str, subject: str) -> dict[str, Any]:
    """Return a line of the mailbox."""
    return {"id": f"MSG-{number}", "sender": sender, "subject": subject}


MAILS = [mail(1, "dee", "What we need: places"), mail(2, "eli", "What we need: places")]
MAILS += [mail(3, "bo", "Split of places"), mail(4, "ada", "Split of places")]
BODIES = {
    "MSG-1": words.CORRECTED[0].format(item="places", department=ONE, least=12, by="2031-07-10"),
    "MSG-2": words.NEED[0].format(item="places", department=OTHER, least=14, by="2031-07-15"),
    "MSG-3": words.AGREED.format(first=40, second=60, one=ONE, other=OTHER),
    "MSG-4": words.AGREEING[0].format(item="places", first=70, second=30, one=ONE, other=OTHER),
}


def chapter(rules: Rules = RULES) -> str:
    """Return the chapter; courses are split by the basis of the rules, the others otherwise."""
    others = [basis for basis in words.BASES if basis != rules.bases["courses"]]
    return words.POLICY.format(
        equipment=words.BASES[others[0]],
        licenses=words.BASES[others[1]],
        courses=words.BASES[rules.bases["courses"]],
        first=rules.signing[0],
        second=rules.signing[1],
        ways="\n".join(words.WAYS[way].format(reserve=rules.reserve_most) for way in rules.ways),
    )


OFFER_TEXT = words.OFFER.format(
    supplier="Hollis Direct",
    employer="Dunmore",
    item="first-aid course places B12",
    item_id="IT-7",
    lots="| 40 | 97.50 EUR |\n| 30 | 100.00 EUR |",
    delivery=100.0,
    until="2031-07-20",
)


@dataclass
class Purchases:
    """The purchases that ApprovalFlow lists.

    Attributes:
        others: Orders of others on each budget.
        statuses: What becomes of each request in turn; of more requests, the same as of the last.
    """

    others: Mapping[str, float] = field(default_factory=dict)
    statuses: Sequence[str] = ("approved",)
    made: list[dict[str, Any]] = field(default_factory=list)

    def request(self, arguments: Arguments) -> dict[str, Any]:
        """Take a request."""
        shares = [{"budget_id": one["budget_id"], "amount": one["amount"]} for one in arguments["shares"]]
        number = len(self.made)
        status = self.statuses[min(number, len(self.statuses) - 1)]
        made = {"id": f"PUR-{number + 7}", "shares": shares, "sign_offs": [], "version": 3}
        self.made.append({**made, "status": status})
        return {**made, "status": "open"}

    def listed(self, arguments: Arguments) -> dict[str, Any]:
        """List what is charged to a budget."""
        budget_id = arguments["budget_id"]
        charged = [one for one in self.made if budget_id in {share["budget_id"] for share in one["shares"]}]
        spent = [{"budget_id": budget_id, "amount": self.others.get(budget_id, 0.0)}]
        return listed(*charged, {"id": "PUR-1", "status": "ordered", "shares": spent})


def replies(purchases: Purchases, *, rules: Rules = RULES, **changes: Any) -> dict[str, Any]:
    """Return what every tool replies: both budgets are ample, and everybody is there."""
    offer = {"id": "DOC-5", "links": ["IT-7"], "body": OFFER_TEXT}
    documents = {"DOC-2": {"body": chapter(rules)}, "DOC-5": offer}
    found = {
        "offer": listed({"id": "DOC-5"}),
        "handbook": listed({"id": "DOC-2", "department": "Purchasing"}),
    }
    metrics = {"DEP-1": listed({"id": "MET-1"}), "DEP-2": listed({"id": "MET-2"})}
    weight = {"MET-1": 20.0, "MET-2": 20.0}
    usual: dict[str, Any] = {
        "datahub_search_documents": by("kind", found),
        "datahub_get_document": by("document_id", documents),
        "datahub_get_record": {"id": "IT-7", "fields": {"category": "courses"}},
        "datahub_list_records": listed({"name": f"{ONE} and West"}, *DEPARTMENTS),
        "datahub_list_budgets": by("cost_centre", {name: listed(*rows) for name, rows in BUDGETS.items()}),
        "datahub_get_budget": lambda asked: shown(asked["budget_id"]),
        "datahub_list_metrics": by("subject", metrics),
        "datahub_query_metric": lambda asked: {"value": weight[asked["metric_id"]], "is_stale": False},
        "datahub_refresh_data": {"due_at": LATER},
        "datahub_list_messages": listed(*MAILS),
        "datahub_get_message": by("message_id", {one: {"body": body} for one, body in BODIES.items()}),
        "datahub_get_person": lambda asked: person(asked["person_id"]),
        "datahub_get_approver": by(
            "role", {"finance_director": {"on_duty": "fin"}, "cfo": {"on_duty": "cfo"}}
        ),
        "approvalflow_request_purchase": purchases.request,
        "approvalflow_list_purchases": purchases.listed,
        "approvalflow_withdraw_purchase": {},
        "approvalflow_place_order": {},
    }
    return {**usual, **changes}


def office(purchases: Purchases | None = None, **changes: Any) -> Conversation:
    """Return the conversation of a buyer with the tools of this company."""
    return Conversation(replies(purchases or Purchases(), **changes), START, TEXT)


def work(me: Asker, rules: Rules = RULES, **found: Any) -> Work:
    """Return what a buyer knows once everything is refreshed: 2,000 EUR are due from each department."""
    known: dict[str, Any] = {
        "departments": DEPARTMENTS,
        "listed": [BUDGETS["CC-1"], BUDGETS["CC-2"]],
        "committed": {"BUD-11": 0.0, "BUD-21": 0.0},
        "ordered": {"BUD-11": 0.0, "BUD-21": 0.0},
        "weights": [1.0, 1.0],
    }
    return Work(me, "places", "IT-7", 40, [ONE, OTHER], rules, "DOC-5", OFFER, **{**known, **found})
