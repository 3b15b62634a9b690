"""The refusals about personal data."""

from companyos.chassis import ServiceError


class PersonalDataUnknown(ServiceError):
    """No object that can be erased has this id."""

    status_code = 404
    code = "personal_data_unknown"

    def __init__(self, object_id: str) -> None:
        super().__init__(
            f"No record, document, message or entitlement has this id: {object_id!r}. "
            "datahub_find_personal_data finds them; tickets and requests are erased in their own services.",
            field="object_id",
            remedy="datahub_find_personal_data",
        )


class NothingToRedact(ServiceError):
    """The object contains none of the identifiers."""

    code = "nothing_to_redact"

    def __init__(self, object_id: str) -> None:
        super().__init__(
            f"{object_id} contains none of these identifiers. Give the name, number or address that it has.",
            field="identifiers",
            required_field="identifiers",
        )
