"""The queries of purchases, except lookups of one row by its id."""

from collections.abc import Sequence

from sqlalchemy import ARRAY, Text, any_, bindparam, select

from companyos.chassis import ListPage, PagedQuery, Query, UnitOfWork, live

from ..chains import Colleague
from ..models import Person
from ..repository import ApprovalRepository
from .models import Purchase, PurchaseShare, PurchaseStage, SignOff

_PURCHASES = live(Purchase)
_SHARES = live(PurchaseShare)
_SIGN_OFFS = live(SignOff)
_IDS = bindparam("ids", type_=ARRAY(Text))

PURCHASES_BY_ID = PagedQuery(
    select(_PURCHASES)
    .where(_PURCHASES.c.id == any_(_IDS))
    .where(_PURCHASES.c.status == any_(bindparam("statuses", type_=ARRAY(Text)))),
    Purchase,
    after=_PURCHASES.c.id > bindparam("after", type_=Text),
    order=[_PURCHASES.c.id],
)
SHARES_OF = Query(
    select(_SHARES).where(_SHARES.c.purchase_id == any_(_IDS)).order_by(_SHARES.c.id), PurchaseShare
)
SIGN_OFFS_OF = Query(
    select(_SIGN_OFFS).where(_SIGN_OFFS.c.purchase_id == any_(_IDS)).order_by(_SIGN_OFFS.c.id), SignOff
)


class PurchaseRepository:
    """Reads rows in the world of one unit of work; lists are ordered by id."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._approvals = ApprovalRepository(unit)

    async def page(self, statuses: Sequence[str], *, after: str | None, limit: int) -> ListPage[Purchase]:
        """Return a page of purchases with one of these statuses, or of all purchases if none is given."""
        if len(statuses) > 1:
            return await self._unit.page(Purchase, after=after, limit=limit)
        return await self._unit.page(Purchase, after=after, limit=limit, status=statuses[0])

    async def charged_to(
        self, budget_id: str, statuses: Sequence[str], *, after: str | None, limit: int
    ) -> ListPage[Purchase]:
        """Return a page of the purchases that a budget pays a share of."""
        shares = await self._unit.all(PurchaseShare, budget_id=budget_id)
        ids = sorted({share.purchase_id for share in shares})
        return await self._unit.find_page(
            PURCHASES_BY_ID, ids=ids, statuses=list(statuses), after=after, limit=limit
        )

    async def shares(self, purchase_ids: Sequence[str]) -> list[PurchaseShare]:
        """Return the shares of purchases."""
        return await self._unit.find(SHARES_OF, ids=list(purchase_ids)) if purchase_ids else []

    async def sign_offs(self, purchase_ids: Sequence[str]) -> list[SignOff]:
        """Return the signatures that purchases need."""
        found = await self._unit.find(SIGN_OFFS_OF, ids=list(purchase_ids)) if purchase_ids else []
        # By length first, so that `-S10` follows `-S9`.
        return sorted(found, key=lambda one: (one.purchase_id, len(one.id), one.id))

    async def stages(self) -> list[PurchaseStage]:
        """Return the stages of the policy, in order."""
        return sorted(await self._unit.all(PurchaseStage), key=lambda stage: (stage.number, stage.id))

    async def route(self, role: str | None) -> dict[str, Colleague]:
        """Return the holders of a role, their delegates, and so on, by id."""
        return await self._approvals.route(role)

    async def behind(self, person_id: str) -> dict[str, Colleague]:
        """Return a person, their delegate, and so on, by id."""
        people: dict[str, Colleague] = {}
        person = await self._unit.get(Person, person_id)
        while person is not None and person.id not in people:
            people[person.id] = person.colleague
            person = await self._unit.get(Person, person.delegate) if person.delegate else None
        return people
