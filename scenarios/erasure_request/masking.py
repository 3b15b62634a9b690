"""Texts that name a customer, and what is left of them when name, number and address are masked."""

import re
from typing import Any, Final

from .files import Customer

_MASK: Final = "[redacted]"
#: The columns of records, documents, requests, tickets and comments that a redaction masks.
TEXTS: Final = ("name", "fields", "title", "body", "reason", "description", "evidence", "resolution")


def naming(customer: Customer) -> re.Pattern[str]:
    """Return what finds the customer's identifiers as the services do: as whole words, in any case."""
    any_of = "|".join(map(re.escape, sorted(customer.identifiers, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W_])(?:{any_of})(?![^\W_])", re.IGNORECASE)


def masked(known: re.Pattern[str], value: Any) -> Any:
    """Return a JSON value with what is known replaced by the mask, as the services do it."""
    if isinstance(value, str):
        return known.sub(_MASK, value)
    if isinstance(value, dict):
        return {key: masked(known, one) for key, one in value.items()}
    return [masked(known, one) for one in value] if isinstance(value, list) else value
