"""What a person has read of DataHub's objects, by the receipts of their own reads."""

from companyos.sdk.grading import Predicate


def has_read(person_id: str, *object_ids: str) -> Predicate:
    """Return whether a person has read all of these documents, messages, records or metrics, in any version."""
    return lambda view: all(
        view.rows("datahub", "receipts", object_id=each, reader=person_id) for each in object_ids
    )
