"""What a person has read of DataHub's objects, by the receipts of their own reads."""

from collections.abc import Iterable

from companyos.sdk.grading.predicates import Order, Predicate
from companyos.sdk.grading.state import View

from .rows import Row


def has_read(person_id: str, *object_ids: str) -> Predicate:
    """Return whether a person has read all of these documents, messages, records or metrics, in any version."""
    return lambda view: all(
        view.rows("datahub", "receipts", object_id=each, reader=person_id) for each in object_ids
    )


def is_fresh(*metrics: Row) -> Predicate:
    """Return whether all of these metrics were refreshed since they were as given."""
    before = {metric["id"]: metric["as_of"] for metric in metrics}

    def holds(view: View) -> bool:
        rows = [(view.row("datahub", "metrics", key), as_of) for key, as_of in before.items()]
        return all(row is not None and row["as_of"] > as_of for row, as_of in rows)

    return holds


def read_before(name: str, person_id: str, object_ids: Iterable[str], act: Predicate) -> Order:
    """Return the rule that a person reads all of these documents or messages before an act that rests on them."""
    return Order(name, has_read(person_id, *object_ids), act)


def has_read_anew(person_id: str, *metrics: Row) -> Predicate:
    """Return whether a person has read a newer version of all of these metrics than the one given."""
    return lambda view: all(
        any(
            receipt["version"] > metric["version"]
            for receipt in view.rows("datahub", "receipts", object_id=metric["id"], reader=person_id)
        )
        for metric in metrics
    )
