"""The part of the playbook that finds a ticket's record, and decides between two conflicting records."""

from typing import Final

from companyos.sdk.scripts.asking import Answer, Asker, Play

#: The field in which records may conflict.
_DISPUTED: Final = "cost_centre"


class Records(Asker):
    """An employee's work with records in DataHub."""

    def record(self, ticket: Answer, *, kind: str, name: str, mark: str) -> Play[Answer]:
        """Return a ticket's record, with the authoritative value where another record conflicts.

        Args:
            ticket: The ticket.
            kind: The record's kind.
            name: The record's name.
            mark: The field that distinguishes records with the same name.
        """
        if ticket["subject"] is not None:
            record = yield from self.ask("datahub_get_record", record_id=ticket["subject"])
        else:
            page = yield from self.ask("datahub_list_records", kind=kind, q=name)
            words = ticket["description"].replace(".", " ").split()
            record = next(item for item in page["items"] if item["fields"].get(mark) in words)
        return (yield from self._reconciled(record))

    def _reconciled(self, record: Answer) -> Play[Answer]:
        if (other_id := record["fields"].get("see_also")) is None:
            return record
        other = yield from self.ask("datahub_get_record", record_id=other_id)
        if other["fields"][_DISPUTED] == record["fields"][_DISPUTED]:
            return record
        authority = yield from self._authority(record["kind"])
        counts, wrong = (record, other) if authority == record["kind"] else (other, record)
        settled = {_DISPUTED: counts["fields"][_DISPUTED]}
        yield from self.ask("datahub_update_record", record_id=wrong["id"], fields=settled)
        return {**record, "fields": {**record["fields"], **settled}}

    def _authority(self, kind: str) -> Play[str]:
        """Return the kind of record that takes precedence over this kind."""
        rules = yield from self.ask("datahub_list_records", kind="rule")
        about = (rule["fields"] for rule in rules["items"])
        return next(
            str(rule["authority"]) for rule in about if (rule["records"], rule["field"]) == (kind, _DISPUTED)
        )
