"""The workshop pack: a ticket kind, an approval type, a record kind, and rules on who decides."""

from companyos.sdk.company import (
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

ACCESS = "workshop_access"
ACCESS_APPROVAL = "workshop_access_approval"
WORKSHOP = "workshop"
INCIDENTS = "incident_count"
ROLE = "workshop_technician"
ROOMS = ("Optics", "Acoustics", "Cryogenics", "Metrology", "Ceramics", "Robotics")


def access_approval(*, below: int) -> ApprovalType:
    """Return the approval type for workshop access; from `below` incidents on, safety decides."""
    head, safety = "workshop_head", "safety_officer"
    later = Succession(
        (Band(head, below / 2), Band(safety, float(below)), Band("site_director")),
        {head: safety, safety: "site_director"},
    )
    incidents = FormField(
        "incidents",
        "number",
        "The workshop's incident_count, as DataHub has it now.",
        synonym="events",
        other_unit=("tenths of an incident", 10.0),
    )
    return ApprovalType(
        ACCESS_APPROVAL,
        "Workshop access approval",
        "Lets a team into a workshop. Needs the verified ticket and a fresh count of incidents.",
        (FormField("room", "string", "Id of the workshop's record."), incidents),
        (Band(head, float(below)), Band(safety)),
        ticket_kind=ACCESS,
        metric_name=INCIDENTS,
        metric_field="incidents",
        route_field="incidents",
        successions=(later,),
    )


def _old_access(company: Company, cast: Cast, number: int) -> None:
    record_id = company.numbers.next("WS")
    fields = {"cost_centre": cost_centre(company, number)}
    name = f"{company.draws.choice('room', ROOMS, number)} {record_id}"
    record = company.add_record(record_id, WORKSHOP, name, fields, "active")
    old_metric(company, INCIDENTS, record_id, 3.0, "incidents", number)
    ticket = old_ticket(company, number, ACCESS, f"Access to {name}", record)
    settle(company, cast, ticket, ACCESS_APPROVAL, {"room": record_id, "incidents": 3.0})


PACK = Pack(
    name="workshops",
    ticket_kinds=(TicketKind(ACCESS, "Workshop access", ("medium", "high"), (ROLE,)),),
    approval_types=(access_approval(below=40),),
    record_kinds=(WORKSHOP,),
    offices=(
        Office("workshop_head", "Workshops"),
        Office("safety_officer", "Workshops"),
        Office("site_director", "Workshops"),
    ),
    teams=(("Workshops", ROLE),),
    stories=(_old_access,),
)
