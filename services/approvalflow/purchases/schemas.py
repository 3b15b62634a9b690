"""The wire types of purchases. Agents read every description here as part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import AnyCase, Body, Key, Name, PageQuery, SimTime, Text, View, Whole

from ..schemas import ExpectedVersion
from .domain import PurchaseStatus, SignOffStatus

PurchaseId = Annotated[Key, Path()]
AnyPurchaseStatus = Annotated[PurchaseStatus, Field(strict=False), AnyCase]


class PurchasesQuery(PageQuery):
    """Which purchases to list."""

    status: AnyPurchaseStatus | None = None
    budget_id: Key | None = None
    limit: int = Field(20, ge=1, le=200, description="The most items to return.")


class ShareBody(Body):
    """What one budget pays."""

    budget_id: Key = Field(description="Which budget.")
    amount: float = Field(gt=0, le=10**9, description="In the budget's currency.")
    approver: Key = Field(description="Person id of the owner or, while they are away, the delegate.")


class RequestPurchase(Body):
    """A purchase, with the budgets that pay for it."""

    item: Name = Field(description="What is bought.")
    quantity: Annotated[int, Whole] = Field(ge=1, le=10**6, description="How many.")
    quote: Key = Field(description="Document id of the offer.")
    shares: list[ShareBody] = Field(min_length=1, max_length=8, description="One for each budget.")
    also: list[Key] = Field(
        default_factory=list,
        max_length=4,
        description="Person ids of others who have to sign after the owners.",
    )


class WithdrawPurchase(Body):
    """Why a purchase is withdrawn."""

    reason: Text = Field(description="Kept on record.")
    version: ExpectedVersion = None


class PlaceOrder(Body):
    """The order for a purchase that everybody signed."""

    version: ExpectedVersion = None


class ShareView(View):
    """What one budget pays of a purchase."""

    budget_id: str = Field(description="The budget.")
    cost_centre: str = Field(description="Its cost centre.")
    amount: float = Field(description="What it pays.")


class SignOffView(View):
    """A signature that a purchase needs."""

    stage: int = Field(description="Its stage; a stage begins when everybody of the one before has signed.")
    approver: str = Field(description="Person id of the signer.")
    status: SignOffStatus = Field(
        description="`waiting` for its stage, `pending` at the person, or how it ended."
    )
    budget_id: str | None = Field(description="The budget that it is for, if any.")
    due_at: SimTime | None = Field(description="When the person looks at it, while it is pending.")
    reason: str | None = Field(description="Why it was rejected.")


class PurchaseView(View):
    """A purchase with its shares and signatures."""

    id: str = Field(description="Id of the purchase; the other tools take it as `purchase_id`.")
    item: str = Field(description="What is bought.")
    quantity: int = Field(description="How many.")
    quote: str | None = Field(description="Document id of the offer.")
    requester: str = Field(description="Person id of the requester.")
    status: PurchaseStatus = Field(description="`open` until everybody has signed, then `approved`.")
    amount: float = Field(description="The sum of its shares.")
    requested_at: SimTime = Field(description="When it was requested.")
    order_id: str | None = Field(description="Its order, once it is placed.")
    reason: str | None = Field(description="Why it was rejected or withdrawn.")
    shares: list[ShareView] = Field(description="What each budget pays.")
    sign_offs: list[SignOffView] = Field(description="The signatures, by stage.")
    version: int = Field(description="Grows by one with every change.")
