"""The refusals of assets and clearances."""

from companyos.chassis import ServiceError


class AssetUnknown(ServiceError):
    """No asset has this id."""

    status_code = 404
    code = "asset_unknown"

    def __init__(self, asset_id: str) -> None:
        super().__init__(
            f"No asset has this id: {asset_id!r}. Find ids with datahub_list_assets.",
            field="asset_id",
            remedy="datahub_list_assets",
        )


class AlreadyHolder(ServiceError):
    """The person holds the asset already."""

    code = "already_holder"

    def __init__(self, asset_id: str, person_id: str) -> None:
        super().__init__(f"{person_id} holds {asset_id} already. Nothing is to be done.", field="person_id")


class AssetInPool(ServiceError):
    """Nobody holds the asset."""

    code = "asset_in_pool"

    def __init__(self, asset_id: str) -> None:
        super().__init__(
            f"Nobody holds {asset_id}, so it cannot be returned. Hand it out with datahub_assign_asset.",
            field="asset_id",
            remedy="datahub_assign_asset",
        )


class ClearanceUnknown(ServiceError):
    """The person has no clearance on record."""

    status_code = 404
    code = "clearance_unknown"

    def __init__(self, person_id: str) -> None:
        super().__init__(
            f"No clearance is on record for {person_id!r}. Find people with datahub_list_people.",
            field="person_id",
            remedy="datahub_list_people",
        )
