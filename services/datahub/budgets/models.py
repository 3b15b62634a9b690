"""The rows of budgets."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "budgets", indexes=[("cost_centre",)])
class Budget:
    """The amount that a cost centre may spend from `starts_at` until just before `ends_at`.

    Attributes:
        owner: Person id of its owner.
    """

    id: str
    cost_centre: str
    name: str
    owner: str
    starts_at: int
    ends_at: int
    limit_amount: float
    currency: str = "EUR"


@world_table(metadata, "commitments", indexes=[("budget_id",)], maintained=("at",))
class Commitment:
    """The amount that an approved request committed in a budget, with the request's id."""

    id: str
    budget_id: str
    amount: float
    at: int
