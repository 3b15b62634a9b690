"""What one service announces moves the others: a vendor is onboarded across all three."""

from companyos.sdk.simtime import DAY, HOUR

from .company import (
    NOW,
    SUBMISSION,
    Company,
    Desks,
    has_applied,
    open_company,
    resend,
    sent_by,
    vendor_onboarding,
)


async def actions(company: Company, request_id: str) -> list[str]:
    audit = await company.get("approvalflow", f"/requests/{request_id}/audit")
    return [entry["action"] for entry in audit["items"]]


async def submitted(desks: Desks) -> Company:
    """Return a company whose metric is fresh and whose request waits for its ticket only."""
    company = await open_company(desks)
    await company.post("datahub", "/catalog/metrics/MET-0104/refresh")
    await company.advance(HOUR)
    await company.post("approvalflow", "/requests", SUBMISSION)
    return company


async def verify(company: Company, *, settles: bool = True) -> None:
    await company.post(
        "ticketdesk",
        "/tickets/TD-1042/verify",
        {"evidence": "Read the papers.", "references": ["V-104"]},
        settles=settles,
    )


async def test_a_refresh_in_datahub_is_the_metric_that_approvalflow_waits_for(desks: Desks) -> None:
    company = await open_company(desks)
    before = await company.post("approvalflow", "/requests", SUBMISSION)

    await company.post("datahub", "/catalog/metrics/MET-0104/refresh")
    await company.advance(HOUR)

    after = await company.get("approvalflow", "/requests/APR-0001")
    assert before["waiting_for"] == ["ticket_verified", "metric_fresh"]
    assert after["waiting_for"] == ["ticket_verified"]


async def test_a_request_shows_on_its_ticket_as_soon_as_it_is_made(desks: Desks) -> None:
    company = await submitted(desks)

    ticket = await company.get("ticketdesk", "/tickets/TD-1042")
    links = await company.get("ticketdesk", "/tickets/TD-1042/links")

    assert ticket["approval"] == "pending"
    assert [(link["kind"], link["target"]) for link in links["items"]] == [("approval", "APR-0001")]


async def test_verifying_a_ticket_releases_its_held_request_exactly_once(desks: Desks) -> None:
    company = await submitted(desks)
    before = await company.get("approvalflow", "/requests/APR-0001")

    await verify(company)
    released = await company.get("approvalflow", "/requests/APR-0001")
    state = await company.state()
    tickets = company.worlds["ticketdesk"]
    await resend(tickets, 3 * await sent_by(tickets))
    await verified_again_elsewhere(desks)

    assert (before["status"], released["status"]) == ("held", "pending")
    assert released["evidence"]["metric_value"] == 85.0
    assert await actions(company, "APR-0001") == ["submitted", "held", "released"]
    assert await company.state() == state


async def verified_again_elsewhere(desks: Desks) -> None:
    """Do the same in another world: once it has settled, what was on the bus before has been read too."""
    await verify(await submitted(desks))


async def test_an_approval_waits_while_approvalflow_hears_nothing_and_goes_through_when_it_does(
    desks: Desks,
) -> None:
    company, consumer = await submitted(desks), desks["approvalflow"].app.state.consumer

    await consumer.stop()
    try:
        await verify(company, settles=False)
        meanwhile = await company.get("approvalflow", "/requests/APR-0001")
        (verified,) = await company.worlds["ticketdesk"].events()
        heard = await has_applied(company.worlds["approvalflow"], verified["id"])
    finally:
        await consumer.start()
    await company.worlds["approvalflow"].applied(verified["id"])

    assert (meanwhile["status"], verified["name"], heard) == ("held", "ticket.verified", False)
    assert (await company.get("approvalflow", "/requests/APR-0001"))["status"] == "pending"


async def test_an_approval_unlocks_the_ticket_and_activates_the_vendor(desks: Desks) -> None:
    company = await submitted(desks)
    await verify(company)
    work = {"to": "in_progress", "reason": "Contract is ready."}
    refused = await company.worlds["ticketdesk"].post("/tickets/TD-1042/transition", json=work)
    waiting = await company.get("datahub", "/records/V-104")

    await company.advance(2 * HOUR)

    assert refused.json()["type"] == "approval_required"
    assert waiting["status"] == "pending"
    assert (await company.get("approvalflow", "/requests/APR-0001"))["status"] == "approved"
    assert (await company.get("ticketdesk", "/tickets/TD-1042"))["approval"] == "approved"
    assert (await company.post("ticketdesk", "/tickets/TD-1042/transition", work))["status"] == "in_progress"
    vendor = await company.get("datahub", "/records/V-104")
    assert (vendor["status"], vendor["version"]) == ("active", 2)


async def test_a_rejection_shows_on_the_ticket_and_activates_nothing(desks: Desks) -> None:
    rows = vendor_onboarding()
    rows["datahub"]["sources"] = [{"id": "MET-0104", "values": [76.0]}]
    company = await open_company(desks, rows)
    await company.post("datahub", "/catalog/metrics/MET-0104/refresh")
    await company.advance(HOUR)
    await verify(company)
    fields = {"vendor_name": "Acme Logistics", "compliance_score": 76}
    await company.post("approvalflow", "/requests", {**SUBMISSION, "fields": fields})

    await company.advance(2 * HOUR)

    assert (await company.get("approvalflow", "/requests/APR-0001"))["reason_code"] == "below_threshold"
    assert (await company.get("ticketdesk", "/tickets/TD-1042"))["approval"] == "rejected"
    assert (await company.get("datahub", "/records/V-104"))["status"] == "pending"


async def test_reopening_the_ticket_voids_the_request_that_rests_on_it(desks: Desks) -> None:
    company = await submitted(desks)
    await verify(company)

    await company.post("ticketdesk", "/tickets/TD-1042/reopen", {"reason": "Something is missing."})
    await company.advance(DAY)

    voided = await company.get("approvalflow", "/requests/APR-0001")
    assert (voided["status"], voided["reason_code"]) == ("voided", "ticket_reopened")
    assert (await company.get("datahub", "/records/V-104"))["status"] == "pending"


async def test_a_delegate_who_is_asked_just_before_the_holder_is_back_rejects(desks: Desks) -> None:
    rows = vendor_onboarding()
    rows["datahub"]["absences"][0]["ends_at"] = NOW + 2 * HOUR
    rows["approvalflow"]["people"][0]["away_until"] = NOW + 2 * HOUR
    company = await open_company(desks, rows)
    await company.post("datahub", "/catalog/metrics/MET-0104/refresh")
    await company.advance(HOUR)
    await verify(company)
    await company.post("approvalflow", "/requests", SUBMISSION)

    await company.advance(2 * HOUR)

    assert (await company.get("approvalflow", "/requests/APR-0001"))["reason_code"] == "not_my_approval"
    assert (await company.worlds["approvalflow"].rows("people"))["sarah.chen"]["away"] is False


async def test_a_request_outlasts_the_absence_of_its_approver(desks: Desks) -> None:
    rows = vendor_onboarding()
    away_soon = {"id": "A-0002", "person_id": "david.kim", "reason": "leave"}
    rows["datahub"]["absences"].append({**away_soon, "starts_at": NOW + 2 * HOUR, "ends_at": NOW + DAY})
    company = await open_company(desks, rows)
    await company.post("datahub", "/catalog/metrics/MET-0104/refresh")
    await company.advance(HOUR)
    await verify(company)
    await company.post("approvalflow", "/requests", SUBMISSION)

    await company.advance(2 * HOUR)
    waiting = await company.get("approvalflow", "/requests/APR-0001/status")
    await company.advance(DAY)

    assert waiting["status"] == "pending"
    assert waiting["explanation"].startswith("david.kim is away until")
    assert (await company.get("approvalflow", "/requests/APR-0001"))["status"] == "approved"


async def test_a_second_approver_is_one_who_was_announced_to_be_back(desks: Desks) -> None:
    rows = vendor_onboarding()
    rows["datahub"]["absences"][0]["ends_at"] = NOW + 6 * HOUR
    rows["approvalflow"]["people"][0]["away_until"] = NOW + 6 * HOUR
    wish = {"reason_code": "second_opinion_wanted", "remedy": "second_approver"}
    rows["approvalflow"]["rejections"] = [{"id": "vendor_approval:V-104:1", **wish}]
    company = await open_company(desks, rows)
    await company.post("datahub", "/catalog/metrics/MET-0104/refresh")
    await company.advance(HOUR)
    await verify(company)
    await company.post("approvalflow", "/requests", SUBMISSION)

    await company.advance(2 * HOUR)
    turned_down = await company.get("ticketdesk", "/tickets/TD-1042")
    again = await company.worlds["approvalflow"].post("/requests/APR-0001/resubmit", json={})
    await company.advance(3 * HOUR)
    await company.post("approvalflow", "/requests/APR-0001/resubmit", {"approver": "sarah.chen"})
    await company.advance(2 * HOUR)

    assert (turned_down["approval"], again.json()["type"]) == ("rejected", "second_approver_required")
    assert (await company.get("approvalflow", "/requests/APR-0002"))["decided_by"] == "sarah.chen"
    assert (await company.get("ticketdesk", "/tickets/TD-1042"))["approval"] == "approved"
    assert (await company.get("datahub", "/records/V-104"))["status"] == "active"
