"""Purchases over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .dossiers import Charge, PurchaseDossier
from .schemas import PlaceOrder, PurchaseId, PurchasesQuery, PurchaseView, RequestPurchase, WithdrawPurchase
from .service import Purchases

purchases = ToolRouter(prefix="/purchases", tags=["purchases"])


@purchases.get(
    "",
    response_model=Page[PurchaseView],
    summary="List purchases",
    description="Shows everybody's, with what each budget pays and who has signed; optionally those charged to one "
    "budget.",
)
async def list_purchases(query: Annotated[PurchasesQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Purchases(unit).page(**query.model_dump()), query.limit)


@purchases.post(
    "",
    response_model=PurchaseView,
    status_code=201,
    summary="Request a purchase",
    description="Every budget's owner signs for its share, then the people in `also`, then purchasing. One who may not "
    "sign rejects all of it. Budgets are not checked and nothing is committed until it is ordered. Requires the "
    "permission `submit_requests`.",
)
async def request_purchase(body: RequestPurchase, unit: InWorld) -> PurchaseDossier:
    charges = [Charge(share.budget_id, share.amount, share.approver) for share in body.shares]
    return await Purchases(unit).request(
        item=body.item, quantity=body.quantity, quote=body.quote, charges=charges, also=body.also
    )


@purchases.post(
    "/{purchase_id}/withdraw",
    response_model=PurchaseView,
    summary="Withdraw your purchase",
    description="Works until it is ordered; to change a purchase, withdraw it and request another.",
)
async def withdraw_purchase(
    purchase_id: PurchaseId, body: WithdrawPurchase, unit: InWorld
) -> PurchaseDossier:
    return await Purchases(unit).withdraw(purchase_id, reason=body.reason, version=body.version)


@purchases.post(
    "/{purchase_id}/order",
    response_model=PurchaseView,
    summary="Order your approved purchase",
    description="Commits each share to its budget and sends the order to the supplier. It cannot be taken back.",
)
async def place_order(purchase_id: PurchaseId, body: PlaceOrder, unit: InWorld) -> PurchaseDossier:
    return await Purchases(unit).order(purchase_id, version=body.version)
