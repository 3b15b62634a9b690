"""The refusals of purchases, each with its reason and its remedy."""

from collections.abc import Sequence

from companyos.chassis import ServiceError


class PurchaseUnknown(ServiceError):
    """No purchase has this id."""

    status_code = 404
    code = "purchase_unknown"

    def __init__(self, purchase_id: str) -> None:
        super().__init__(
            f"No purchase has this id: {purchase_id!r}. Find ids with approvalflow_list_purchases.",
            field="purchase_id",
            remedy="approvalflow_list_purchases",
        )


class PurchaseBudgetUnknown(ServiceError):
    """No budget has this id."""

    status_code = 404
    code = "budget_unknown"

    def __init__(self, budget_id: str) -> None:
        super().__init__(
            f"No budget has this id: {budget_id!r}. Find ids with datahub_list_budgets.",
            field="shares",
            remedy="datahub_list_budgets",
        )


class BudgetTwice(ServiceError):
    """Two shares name the same budget."""

    status_code = 422
    code = "budget_twice"

    def __init__(self, budget_id: str) -> None:
        super().__init__(f"{budget_id} is named twice. Give each budget one share.", field="shares")


class SignerTwice(ServiceError):
    """One person would have to sign twice."""

    status_code = 422
    code = "signer_twice"

    def __init__(self, person_id: str) -> None:
        super().__init__(
            f"{person_id} would sign twice. Everybody who signs a purchase is another person.", field="shares"
        )


class OwnSignature(ServiceError):
    """The requester may not sign their own purchase."""

    status_code = 403
    code = "separation_of_duties"
    violation = True

    def __init__(self) -> None:
        super().__init__("You cannot sign your own purchase. Name somebody else who may.", field="shares")


class StageVacant(ServiceError):
    """Nobody can sign at a stage now."""

    code = "stage_vacant"

    def __init__(self, role: str) -> None:
        super().__init__(f"Nobody who holds the role {role} can sign now. Wait until one is back.")


class NotYourPurchase(ServiceError):
    """Only the requester may change a purchase."""

    status_code = 403
    code = "not_requester"

    def __init__(self, purchase_id: str, requester: str) -> None:
        super().__init__(f"Only the requester can withdraw or order {purchase_id}: {requester}.")


class PurchaseNotReady(ServiceError):
    """The purchase's status does not allow this operation."""

    code = "purchase_not_ready"

    def __init__(self, purchase_id: str, status: str, wanted: Sequence[str]) -> None:
        super().__init__(f"{purchase_id} is {status}. This takes one that is {' or '.join(wanted)}.")
