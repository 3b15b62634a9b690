"""Purchases: one public method per tool, and the scheduled acts of people on them."""

from collections.abc import Sequence

from companyos.chassis import ListPage, Permissions, UnitOfWork, VersionConflict

from ..domain import PermissionId
from ..events import BudgetConsumed
from ..models import Permission, Person
from . import errors
from .domain import (
    LIVE,
    PurchaseStatus,
    Signers,
    SignOffStatus,
    is_complete,
    next_stage,
    repeated,
    total,
)
from .dossiers import Charge, PurchaseDossier, dossier_of, shares_of
from .events import Sign
from .models import KnownBudget, PlannedOrder, Purchase, PurchaseOrder, PurchaseShare, PurchaseStage, SignOff
from .repository import PurchaseRepository
from .signers import SignerRules, departure_reason


class Purchases:
    """The purchases of the company, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = PurchaseRepository(unit)
        self._signers = SignerRules(unit)
        self._permissions = Permissions(unit, Permission)

    async def page(
        self, *, status: str | None, budget_id: str | None, cursor: str | None, limit: int
    ) -> ListPage[PurchaseDossier]:
        """Return a page of purchases, optionally of one status or one budget."""
        statuses = [status] if status else [str(one) for one in PurchaseStatus]
        if budget_id is None:
            found = await self._repository.page(statuses, after=cursor, limit=limit)
        else:
            found = await self._repository.charged_to(budget_id, statuses, after=cursor, limit=limit)
        return ListPage(await self._dossiers(found.items), found.total)

    async def request(
        self, *, item: str, quantity: int, quote: str, charges: Sequence[Charge], also: Sequence[str]
    ) -> PurchaseDossier:
        """Request a purchase from everybody who must sign it, stage by stage.

        Raises:
            PermissionRequired: The caller lacks the permission to submit requests.
            PurchaseBudgetUnknown, BudgetTwice: The shares do not fit the budgets.
            ApproverUnknown, ApproverAway, OwnSignature, SignerTwice, StageVacant: Somebody cannot be asked.
        """
        await self._permissions.require(PermissionId.SUBMIT_REQUESTS, along=(Person, self._unit.actor))
        budgets = await self._budgets(charges)
        stages = await self._repository.stages()
        purchase = Purchase(
            id=await self._unit.next_id(Purchase, "PUR-", width=4),
            item=item,
            quantity=quantity,
            requester=self._unit.actor,
            status=PurchaseStatus.OPEN,
            amount=total(charge.amount for charge in charges),
            requested_at=self._unit.now,
            quote=quote,
        )
        sign_offs = await self._signatures(purchase, stages, charges, also)
        await self._signers.refuse([one.approver for one in sign_offs], chosen=len(charges) + len(also))
        shares = shares_of(purchase, charges, budgets)
        self._unit.add(purchase)
        for share in shares:
            self._unit.add(share)
        for sign_off in sign_offs:
            self._unit.add(sign_off)
        self._ask_next(purchase, sign_offs, stages)
        return dossier_of(purchase, shares, sign_offs)

    async def withdraw(self, purchase_id: str, *, reason: str, version: int | None) -> PurchaseDossier:
        """Withdraw one of the caller's own purchases that is not ordered yet.

        Raises:
            PurchaseUnknown, VersionConflict, NotYourPurchase, PurchaseNotReady: It cannot be withdrawn.
        """
        purchase = await self._own(purchase_id, version, LIVE)
        await self._close(purchase, PurchaseStatus.WITHDRAWN, reason)
        return await self._dossier(purchase)

    async def order(self, purchase_id: str, *, version: int | None) -> PurchaseDossier:
        """Order one of the caller's own purchases that everybody signed, and announce the amounts spent.

        Raises:
            PurchaseUnknown, VersionConflict, NotYourPurchase, PurchaseNotReady: It cannot be ordered.
        """
        purchase = await self._own(purchase_id, version, (PurchaseStatus.APPROVED,))
        await self._place(purchase, await self._repository.shares([purchase.id]))
        return await self._dossier(purchase)

    async def sign(self, sign_off_id: str) -> None:
        """Record a person's signature or rejection; an absent person decides some time after their return."""
        sign_off = await self._unit.get(SignOff, sign_off_id)
        if sign_off is None or sign_off.status != SignOffStatus.PENDING:
            return
        purchase = await self._unit.get(Purchase, sign_off.purchase_id)
        assert purchase is not None, sign_off_id
        stages = await self._repository.stages()
        approver = await self._unit.get(Person, sign_off.approver)
        if approver is not None and approver.colleague.is_away(self._unit.now):
            back_at = approver.away_until if approver.away_until is not None else self._unit.now
            self._ask(sign_off, at=back_at + _time_to_sign(stages, sign_off.stage))
            return
        await self._conclude(
            purchase, sign_off, stages, objection=await self._signers.objection(purchase, sign_off, stages)
        )

    async def note_departure(self, person_id: str) -> None:
        """Reject the purchases that wait for somebody who can no longer sign."""
        unsigned = (SignOffStatus.WAITING, SignOffStatus.PENDING)
        undecided = {one.id: one for one in await self._unit.all(Purchase, status=PurchaseStatus.OPEN)}
        sign_offs = await self._repository.sign_offs(list(undecided))
        waiting = [one for one in sign_offs if one.approver == person_id and one.status in unsigned]
        for purchase_id in dict.fromkeys(one.purchase_id for one in waiting):
            await self._close(undecided[purchase_id], PurchaseStatus.REJECTED, departure_reason(person_id))

    async def order_as_planned(self, planned_id: str) -> None:
        """Place a colleague's planned order, which counts as fully signed, unless the colleague has left."""
        planned = await self._unit.get(PlannedOrder, planned_id)
        budget = await self._unit.get(KnownBudget, planned.budget_id) if planned else None
        buyer = await self._unit.get(Person, planned.buyer) if planned else None
        if planned is None or budget is None or (buyer is not None and not buyer.active):
            return
        purchase = Purchase(
            id=await self._unit.next_id(Purchase, "PUR-", width=4),
            item=planned.item,
            quantity=planned.quantity,
            requester=planned.buyer,
            status=PurchaseStatus.APPROVED,
            amount=planned.amount,
            requested_at=self._unit.now,
        )
        charge = Charge(budget.id, planned.amount, budget.owner)
        shares = shares_of(purchase, [charge], {budget.id: budget})
        self._unit.add(purchase)
        self._unit.add(shares[0])
        await self._place(purchase, shares)

    async def _conclude(
        self, purchase: Purchase, sign_off: SignOff, stages: Sequence[PurchaseStage], *, objection: str | None
    ) -> None:
        sign_off.due_at, sign_off.decided_at = None, self._unit.now
        if objection is not None:
            sign_off.status, sign_off.reason = SignOffStatus.REJECTED, objection
            await self._close(purchase, PurchaseStatus.REJECTED, f"{sign_off.approver}: {objection}")
            return
        sign_off.status = SignOffStatus.SIGNED
        purchase.version += 1
        self._ask_next(purchase, await self._repository.sign_offs([purchase.id]), stages)

    async def _budgets(self, charges: Sequence[Charge]) -> dict[str, KnownBudget]:
        if (twice := repeated([charge.budget_id for charge in charges])) is not None:
            raise errors.BudgetTwice(twice)
        budgets: dict[str, KnownBudget] = {}
        for charge in charges:
            budget = await self._unit.get(KnownBudget, charge.budget_id)
            if budget is None:
                raise errors.PurchaseBudgetUnknown(charge.budget_id)
            budgets[budget.id] = budget
        return budgets

    async def _signatures(
        self,
        purchase: Purchase,
        stages: Sequence[PurchaseStage],
        charges: Sequence[Charge],
        also: Sequence[str],
    ) -> list[SignOff]:
        """Return the signatures that a purchase needs, all of them waiting for their stage."""
        wanted: list[tuple[int, str, str | None]] = []
        for stage in stages:
            if stage.signers == Signers.OWNERS:
                wanted += [(stage.number, charge.approver, charge.budget_id) for charge in charges]
            elif stage.signers == Signers.NAMED:
                wanted += [(stage.number, person, None) for person in also]
            else:
                wanted.append((stage.number, await self._signers.holder(stage.role or ""), None))
        return [
            SignOff(
                f"{purchase.id}-S{number}", purchase.id, stage, approver, SignOffStatus.WAITING, budget_id
            )
            for number, (stage, approver, budget_id) in enumerate(wanted, start=1)
        ]

    def _ask_next(
        self, purchase: Purchase, sign_offs: Sequence[SignOff], stages: Sequence[PurchaseStage]
    ) -> None:
        """Begin the next stage if the previous one is complete; after the last, approve the purchase."""
        if is_complete(sign_offs):
            purchase.status = PurchaseStatus.APPROVED
            return
        stage = next_stage(sign_offs)
        for sign_off in sign_offs:
            if stage is not None and sign_off.stage == stage:
                sign_off.status = SignOffStatus.PENDING
                self._ask(sign_off, at=self._unit.now + _time_to_sign(stages, stage))

    def _ask(self, sign_off: SignOff, *, at: int) -> None:
        sign_off.due_at = at
        self._unit.schedule(Sign(sign_off_id=sign_off.id), at=at, id=_signing(sign_off))

    async def _place(self, purchase: Purchase, shares: Sequence[PurchaseShare]) -> None:
        order = PurchaseOrder(
            id=await self._unit.next_id(PurchaseOrder, "ORD-", width=4),
            purchase_id=purchase.id,
            ordered_by=purchase.requester,
            at=self._unit.now,
            charged_from=await self._charged_from(shares),
            amount=purchase.amount,
        )
        self._unit.add(order)
        purchase.status, purchase.order_id = PurchaseStatus.ORDERED, order.id
        purchase.version += 1
        for share in shares:
            spent = BudgetConsumed(
                request_id=share.id,
                cost_centre=share.cost_centre,
                amount=share.amount,
                budget_id=share.budget_id,
            )
            self._unit.record(spent)

    async def _charged_from(self, shares: Sequence[PurchaseShare]) -> int:
        budgets = [await self._unit.get(KnownBudget, share.budget_id) for share in shares]
        return max([self._unit.now, *(budget.starts_at for budget in budgets if budget)])

    async def _own(self, purchase_id: str, version: int | None, wanted: Sequence[PurchaseStatus]) -> Purchase:
        purchase = await self._unit.get(Purchase, purchase_id)
        if purchase is None:
            raise errors.PurchaseUnknown(purchase_id)
        if version is not None and version != purchase.version:
            raise VersionConflict(purchase.version, version)
        if purchase.requester != self._unit.actor:
            raise errors.NotYourPurchase(purchase.id, purchase.requester)
        if purchase.status not in wanted:
            raise errors.PurchaseNotReady(purchase.id, purchase.status, wanted)
        return purchase

    async def _close(self, purchase: Purchase, status: PurchaseStatus, reason: str) -> None:
        purchase.status, purchase.reason = status, reason
        purchase.version += 1
        for sign_off in await self._repository.sign_offs([purchase.id]):
            if sign_off.status in (SignOffStatus.WAITING, SignOffStatus.PENDING):
                sign_off.status, sign_off.due_at = SignOffStatus.CANCELED, None
                await self._unit.cancel(_signing(sign_off))

    async def _dossier(self, purchase: Purchase) -> PurchaseDossier:
        return (await self._dossiers([purchase]))[0]

    async def _dossiers(self, purchases: Sequence[Purchase]) -> list[PurchaseDossier]:
        ids = [purchase.id for purchase in purchases]
        shares, sign_offs = await self._repository.shares(ids), await self._repository.sign_offs(ids)
        return [
            dossier_of(
                purchase,
                [share for share in shares if share.purchase_id == purchase.id],
                [one for one in sign_offs if one.purchase_id == purchase.id],
            )
            for purchase in purchases
        ]


def _time_to_sign(stages: Sequence[PurchaseStage], number: int) -> int:
    return max((stage.decision_s for stage in stages if stage.number == number), default=0)


def _signing(sign_off: SignOff) -> str:
    return f"signing:{sign_off.id}"
