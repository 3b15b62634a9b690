"""The rows of purchases: shares of budgets, signatures in stages, orders, and colleagues' planned orders."""

from companyos.chassis import world_table

from ..models import metadata
from .domain import PurchaseStatus, Signers, SignOffStatus


@world_table(metadata, "known_budgets", indexes=[("cost_centre",)])
class KnownBudget:
    """A budget as purchases know it: its owner and the start of its period. DataHub knows its balance.

    Attributes:
        owner: Person id of its owner.
        starts_at: The first instant of its period.
    """

    id: str
    cost_centre: str
    owner: str
    starts_at: int


@world_table(metadata, "purchase_stages")
class PurchaseStage:
    """A stage of the purchase policy; its signatures are requested together, after those of the stage before.

    Attributes:
        signers: The owners of the budgets, the people whom the request names, or the holder of a role.
        role: The role, if the holder of a role signs.
        decision_s: How long the signers take, in simulated seconds.
    """

    id: str
    number: int
    signers: Signers
    decision_s: int
    role: str | None = None


@world_table(
    metadata,
    "purchases",
    indexes=[("status",), ("requester",)],
    maintained=("requester", "requested_at", "order_id", "version"),
)
class Purchase:
    """A purchase; id `PUR-` and a number.

    Attributes:
        quote: Id of the supplier's offer.
        amount: The sum of its shares.
        order_id: Its order, once it is placed.
        version: Incremented with every change.
    """

    id: str
    item: str
    quantity: int
    requester: str
    status: PurchaseStatus
    amount: float
    requested_at: int
    quote: str | None = None
    order_id: str | None = None
    reason: str | None = None
    version: int = 1


@world_table(metadata, "purchase_shares", indexes=[("purchase_id",), ("budget_id",)])
class PurchaseShare:
    """The share of a purchase that one budget pays; id `<purchase>-L<n>`."""

    id: str
    purchase_id: str
    budget_id: str
    cost_centre: str
    amount: float


@world_table(metadata, "sign_offs", indexes=[("purchase_id",)], maintained=("due_at", "decided_at"))
class SignOff:
    """A signature that a purchase needs; id `<purchase>-S<n>`.

    Attributes:
        stage: Number of its stage, from 1.
        budget_id: The budget that it is for, at the owners' stage.
        due_at: When the signer looks at it, while it is pending.
    """

    id: str
    purchase_id: str
    stage: int
    approver: str
    status: SignOffStatus
    budget_id: str | None = None
    due_at: int | None = None
    decided_at: int | None = None
    reason: str | None = None


@world_table(
    metadata, "purchase_orders", indexes=[("purchase_id",)], maintained=("ordered_by", "at", "charged_from")
)
class PurchaseOrder:
    """An order with a supplier, which cannot be canceled; id `ORD-` and a number.

    Attributes:
        charged_from: When it is charged: when it is placed, or later if a budget's period begins later.
    """

    id: str
    purchase_id: str
    ordered_by: str
    at: int
    charged_from: int
    amount: float


@world_table(metadata, "planned_orders", hidden=True)
class PlannedOrder:
    """An order that a colleague will place, and when. Never shown."""

    id: str
    at: int
    buyer: str
    item: str
    quantity: int
    budget_id: str
    amount: float
