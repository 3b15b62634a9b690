"""The operations on rows that business faults of every kind of task share."""

from companyos.sdk.company import Company, Content, Row

_SLOWER = 4


def delay_refreshes(metric: Row) -> None:
    """Make every refresh of a metric take four times as long."""
    metric["refresh_s"] *= _SLOWER


def fail_first_refresh(company: Company, metric: Row) -> None:
    """Make the first refresh of a metric fail."""
    company.source(metric["id"])["failures"] = [0]


def trusted_roles(content: Content) -> list[str]:
    """Return the roles that keep a permission when others lose it."""
    return sorted(one.role for one in content.offices.values() if one.is_trusted)


def write_into(company: Company, row: Row, text: str) -> None:
    """Add a text to a ticket, record, document or message, where every reader of it sees the text."""
    if "description" in row:
        company.amend(row, description=f"{row['description']}\n\n{text}")
    elif "fields" in row:
        row["fields"] = {**row["fields"], "note": " ".join(filter(None, (row["fields"].get("note"), text)))}
    else:
        row["body"] = f"{row['body']}\n\n{text}"
