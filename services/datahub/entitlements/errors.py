"""The area's refusals, each with its reason and its remedy."""

from companyos.chassis import ServiceError


class EntitlementUnknown(ServiceError):
    """No entitlement has this id."""

    status_code = 404
    code = "entitlement_unknown"

    def __init__(self, entitlement_id: str) -> None:
        super().__init__(
            f"No entitlement has this id: {entitlement_id!r}. Find ids with datahub_list_entitlements.",
            field="entitlement_id",
            remedy="datahub_list_entitlements",
        )


class AlreadyRevoked(ServiceError):
    """The entitlement is already revoked."""

    code = "already_revoked"

    def __init__(self, entitlement_id: str) -> None:
        super().__init__(f"{entitlement_id} was revoked before. Nothing is left to revoke.")


class OwnershipUnknown(ServiceError):
    """Nobody is named as the owner of this object."""

    status_code = 404
    code = "ownership_unknown"

    def __init__(self, object_id: str) -> None:
        super().__init__(
            f"No owner is named for this object: {object_id!r}. Find owned objects with datahub_list_ownerships; of "
            "entitlements, only shared accounts change hands.",
            field="object_id",
            remedy="datahub_list_ownerships",
        )


class OwnershipLocked(ServiceError):
    """The object's owner lost access, so it can no longer change hands here."""

    code = "ownership_locked"

    def __init__(self, object_id: str, owner: str) -> None:
        super().__init__(
            f"{object_id} is locked: access of its owner {owner} was revoked, so only the security team can assign "
            "it. Transfer what a person owns before revoking their access.",
            field="object_id",
        )


class OwnerAlready(ServiceError):
    """The person owns the object already."""

    code = "owner_already"

    def __init__(self, object_id: str, owner: str) -> None:
        super().__init__(f"{owner} owns {object_id} already. Name somebody else.", field="to")


class PersonInactive(ServiceError):
    """The person's account is suspended."""

    code = "person_inactive"

    def __init__(self, person_id: str, *, field: str) -> None:
        super().__init__(
            f"The account of {person_id} is suspended. Name an active colleague; datahub_list_people lists them.",
            field=field,
            remedy="datahub_list_people",
        )


class OwnDelegate(ServiceError):
    """Nobody can be their own delegate."""

    status_code = 422
    code = "own_delegate"

    def __init__(self, person_id: str) -> None:
        super().__init__(f"{person_id} cannot be their own delegate. Name somebody else.", field="delegate")


class DelegateRequired(ServiceError):
    """Approval types and a limit belong to a delegate."""

    status_code = 422
    code = "delegate_required"

    def __init__(self) -> None:
        super().__init__(
            "Nobody was named to cover these types. Name a delegate, or leave out types and limit to have none.",
            field="delegate",
        )


class OwnAccount(ServiceError):
    """Nobody can deactivate their own account."""

    status_code = 403
    code = "own_account"

    def __init__(self) -> None:
        super().__init__("You cannot deactivate your own account.", field="person_id")
