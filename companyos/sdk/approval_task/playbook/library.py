"""The part of the playbook that reads a case's documents: the exclusion list and the form."""

from typing import Final

from companyos.sdk.scripts.asking import Answer, Asker, Play

from ..profile import TaskProfile

#: The reason code with which, by the handbook, a case on hold is refused.
_FORBIDDEN: Final = "policy_forbids"
#: Longer queries are refused.
_LONGEST_QUERY: Final = 100


class Library(Asker):
    """An employee's work with documents."""

    def settled_by_documents(
        self, profile: TaskProfile, ticket_id: str, record: Answer
    ) -> Play[tuple[str, ...]]:
        """Read the case's documents; return the ids to verify against, or end the task if they decide it."""
        if not profile.form:
            return ()
        held_by = yield from self.on_hold(profile, str(record["fields"][profile.mark]))
        if held_by is not None:
            yield from self.ask("refuse", reason_code=_FORBIDDEN, evidence=[held_by, record["id"]])
        form = yield from self.form(profile, record)
        if not self.agrees(form, record):
            yield from self.ask(
                "ticketdesk_return_ticket",
                ticket_id=ticket_id,
                question="The form and the record differ. Which of them is right?",
                references=[form["id"], record["id"]],
            )
            yield from self.finish("The ticket went back to its reporter.")
        return (str(form["id"]),)

    def on_hold(self, profile: TaskProfile, number: str) -> Play[str | None]:
        """Return the id of the exclusion list in force if it names this number, or None."""
        page = yield from self.ask(
            "datahub_search_documents", q=profile.exclusions, kind="policy", status="in_force"
        )
        found = next(item for item in page["items"] if item["title"] == profile.exclusions)
        listed = yield from self.ask("datahub_get_document", document_id=found["id"])
        return str(listed["id"]) if number in listed["body"].split() else None

    def form(self, profile: TaskProfile, record: Answer) -> Play[Answer]:
        """Return the form in force of a record's case."""
        title = f"{profile.form}: {record['name']}"
        page = yield from self.ask(
            "datahub_search_documents", q=_words(title)[:_LONGEST_QUERY], kind="form", status="in_force"
        )
        for item in (one for one in page["items"] if one["title"] == title):
            form = yield from self.ask("datahub_get_document", document_id=item["id"])
            if record["id"] in form["links"]:
                return form
        raise LookupError(f"there is no form {title!r} about {record['id']}")

    def agrees(self, form: Answer, record: Answer) -> bool:
        """Say whether every field that a form states agrees with the record."""
        lines = [line[2:] for line in form["body"].splitlines() if line.startswith("- ")]
        stated = dict(line.split(": ", 1) for line in lines)
        shown = {name.replace("_", " "): str(value) for name, value in record["fields"].items()}
        return all(shown.get(name) == value for name, value in stated.items())


def _words(title: str) -> str:
    """Return a title as a query, without characters that have a special meaning in searches."""
    return "".join(sign if sign.isalnum() else " " for sign in title)
