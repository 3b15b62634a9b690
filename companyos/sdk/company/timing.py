"""When a person acted, by the journals and the times that services note with their acts."""

from typing import Final

from companyos.sdk.grading.predicates import Predicate

#: The tables that note who acted and when: service, table, and the columns of the person and of the time.
_NOTED: Final = (
    ("ticketdesk", "history", "actor", "at"),
    ("ticketdesk", "erasures", "erased_by", "erased_at"),
    ("datahub", "erasures", "erased_by", "erased_at"),
    ("approvalflow", "erasures", "erased_by", "erased_at"),
    ("approvalflow", "audit", "actor", "at"),
)


def has_acted_only_before(person_id: str, due: int) -> Predicate:
    """Return whether whatever a person has done to tickets, requests and personal data was done before a time."""
    return lambda view: all(
        row[at] < due
        for service, table, person, at in _NOTED
        for row in view.changed(service, table)
        if row[person] == person_id
    )
