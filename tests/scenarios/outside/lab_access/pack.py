"""Laboratories: a ticket kind, an approval type and a record kind that no pack of this repository has."""

from companyos.company import (
    ApprovalType,
    Band,
    Cast,
    Company,
    FormField,
    Office,
    Pack,
    Succession,
    TicketKind,
    cost_centre,
    old_metric,
    old_ticket,
    settle,
)

ACCESS = "lab_access"
ACCESS_APPROVAL = "lab_access_approval"
LABORATORY = "laboratory"
INCIDENTS = "incident_count"
ROLE = "lab_technician"
ROOMS = ("Optics", "Acoustics", "Cryogenics", "Metrology", "Ceramics", "Robotics")


def access_approval(*, below: int, with_changes: bool = True) -> ApprovalType:
    """Return the approval that lets somebody into a laboratory, given the incidents from which safety decides.

    Args:
        below: That number.
        with_changes: Whether the form and the policy may change: fields have synonyms, roles have successors.
    """
    lab, safety = "lab_head", "safety_officer"
    later = Succession(
        (Band(lab, below / 2), Band(safety, float(below)), Band("site_director")),
        {lab: safety, safety: "site_director"},
    )
    incidents = FormField(
        "incidents",
        "number",
        "The laboratory's incident_count, as DataHub has it now.",
        synonym="events" if with_changes else None,
        other_unit=("tenths of an incident", 10.0) if with_changes else None,
    )
    return ApprovalType(
        ACCESS_APPROVAL,
        "Laboratory access approval",
        "Lets a team into a laboratory. Needs the verified ticket and a fresh count of incidents.",
        (FormField("room", "string", "Id of the laboratory's record."), incidents),
        (Band(lab, float(below)), Band(safety)),
        ticket_kind=ACCESS,
        metric_name=INCIDENTS,
        metric_field="incidents",
        route_field="incidents",
        successions=(later,) if with_changes else (),
    )


def _old_access(company: Company, cast: Cast, number: int) -> None:
    record_id = company.numbers.next("LAB")
    fields = {"cost_centre": cost_centre(company, number)}
    name = f"{company.draws.choice('room', ROOMS, number)} {record_id}"
    record = company.add_record(record_id, LABORATORY, name, fields, "active")
    old_metric(company, INCIDENTS, record_id, 3.0, "incidents", number)
    ticket = old_ticket(company, number, ACCESS, f"Access to {name}", record)
    settle(company, cast, ticket, ACCESS_APPROVAL, {"room": record_id, "incidents": 3.0})


def laboratories(*, with_changes: bool = True) -> Pack:
    """Return the pack; without changes it offers nothing for the faults that need them."""
    return Pack(
        name="laboratories",
        ticket_kinds=(TicketKind(ACCESS, "Laboratory access", ("medium", "high"), (ROLE,)),),
        approval_types=(access_approval(below=40, with_changes=with_changes),),
        record_kinds=(LABORATORY,),
        offices=(
            Office("lab_head", "Laboratories"),
            Office("safety_officer", "Laboratories"),
            Office("site_director", "Laboratories"),
        ),
        teams=(("Laboratories", ROLE),),
        stories=(_old_access,),
    )


PACK = laboratories()
