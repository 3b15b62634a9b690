"""A company in which budget owners sign purchases, and the calls made in it."""

from typing import Any

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk, World

from .company import NOW, Row, person

AGENT = "alex.agent"


def owner(person_id: str = "olga.owner", **changes: Any) -> Row:
    """The owner of a budget, whose delegate may sign for up to 1,000."""
    cover = {"delegate": "dora.deputy", "delegate_types": ["purchase"], "delegate_limit": 1000.0}
    return person(person_id, "department_head", **{**cover, **changes})


def away(**changes: Any) -> Row:
    return owner(**{"away": True, "away_until": NOW + 3 * HOUR, **changes})


def people(*owners: Row) -> list[Row]:
    """Return the two owners, or others in their place, and everybody else who has to do with purchases."""
    return [
        *(owners or (owner(), owner("otto.other", delegate=None))),
        person("dora.deputy", "deputy_head"),
        person("fay.finance", "finance_director"),
        person("paul.purchasing", "purchasing_lead"),
        person(AGENT, "buyer"),
    ]


def budget(number: int, of: str, **changes: Any) -> Row:
    row = {"id": f"BUD-10{number}", "cost_centre": f"CC-31{number}", "owner": of, "starts_at": NOW - 30 * DAY}
    return {**row, **changes}


BUDGETS = [
    budget(1, "olga.owner"),
    budget(2, "otto.other"),
    budget(3, "olga.owner", cost_centre="CC-311", starts_at=NOW + 60 * DAY),
]
STAGES = [
    {"id": "STG-1", "number": 1, "signers": "owners", "decision_s": 2 * HOUR},
    {"id": "STG-2", "number": 2, "signers": "named", "decision_s": HOUR},
    {"id": "STG-3", "number": 3, "signers": "role", "role": "purchasing_lead", "decision_s": HOUR},
]


async def open_office(approvalflow: Desk, *owners: Row, **tables: list[Row]) -> World:
    """Return a world in which the agent buys for two budgets and their owners, or others in their place."""
    rows = {"people": people(*owners), "known_budgets": BUDGETS, "purchase_stages": STAGES, **tables}
    return await approvalflow.world(rows, now=NOW, actor=AGENT, role="buyer")


def share(number: int = 1, amount: float = 600.0, approver: str = "olga.owner") -> Row:
    return {"budget_id": f"BUD-10{number}", "amount": amount, "approver": approver}


def wanted(**changes: Any) -> Row:
    """A purchase for two budgets that the finance director signs too."""
    shares = [share(), share(2, 400.5, "otto.other")]
    row = {"item": "Label printers", "quantity": 20, "quote": "DOC-0007", "shares": shares}
    return {**row, "also": ["fay.finance"], **changes}


async def ask(world: World, **changes: Any) -> Any:
    return await world.post("/purchases", json=wanted(**changes))


async def requested(world: World, **changes: Any) -> Row:
    answer = await ask(world, **changes)
    assert answer.status_code == 201, answer.text
    made: Row = answer.json()
    return made


async def shown(world: World, purchase_id: str = "PUR-0001") -> Row:
    found = (await world.get("/purchases")).json()["items"]
    return next(one for one in found if one["id"] == purchase_id)


async def order(world: World, purchase_id: str = "PUR-0001", **body: Any) -> Any:
    return await world.post(f"/purchases/{purchase_id}/order", json=body)


async def withdraw(world: World, purchase_id: str = "PUR-0001") -> Any:
    return await world.post(f"/purchases/{purchase_id}/withdraw", json={"reason": "Too dear."})


async def everybody_signs(world: World, *hours: int) -> None:
    """Let as many hours pass, one stage after the other."""
    for each in hours or (2, 1, 1):
        await world.advance(each * HOUR)
