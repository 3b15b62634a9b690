"""What an agent knows of a leaver, and a directory with documents, built by hand."""

from collections.abc import Mapping
from typing import Any

from companyos.sdk.asking import Asker
from scenarios.offboarding.playing import Leaver

from ..constrained_change.conversation import Tools, first_observation

BRIEF = "You are Pia Partner (pia.partner). Ticket TD-7 has what I heard."
FORM = (
    "## Who takes over\n- PRJ-1, Harbor (PRJ-1): Ann Lee\n- PRJ-2, Upland (PRJ-2): Bob Ray\n\nThat is all.\n"
)
PEOPLE = {
    "ann.lee": {"id": "ann.lee", "name": "Ann Lee", "is_away": False},
    "bob.ray": {"id": "bob.ray", "name": "Bob Ray", "is_away": False},
    "max.boss": {"id": "max.boss", "name": "Max Boss", "is_away": False, "manager": "eva.head"},
}


def asker() -> Asker:
    return Asker(first_observation(BRIEF))


def leaver(change: str = "leaves", **found: Any) -> Leaver:
    """Return what is known of Lea Ver, whose last day is the tenth of May."""
    fields = {"change": change, "effective_on": "2030-05-10", "new_team": "Data"}
    person = {"id": "lea.ver", "name": "Lea Ver"}
    return Leaver({"id": "EMP-1", "fields": fields}, person, "max.boss", **found)


class Directory(Tools):
    """People, some of whom are away, and documents by what is searched for."""

    def __init__(self, documents: Mapping[str, str], *, away: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.documents, self.away = documents, away

    def datahub_get_person(self, person_id: str) -> dict[str, Any]:
        return {**PEOPLE[person_id], "is_away": person_id in self.away}

    def datahub_list_people(self, q: str) -> dict[str, Any]:
        """Return whoever has such a name, a namesake first."""
        namesake = {"id": "ann.leeds", "name": f"{q}ds"}
        return {"items": [namesake, *(one for one in PEOPLE.values() if q in str(one["name"]))]}

    def datahub_search_documents(self, q: str, status: str, limit: int) -> dict[str, Any]:
        assert status == "in_force"
        return {"items": [{"id": title} for title in self.documents if title == q]}

    def datahub_get_document(self, document_id: str) -> dict[str, str]:
        return {"body": self.documents[document_id]}
