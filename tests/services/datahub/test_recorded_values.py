"""What locks, erasures, releases and grants keep on record, and what a value is once it was locked."""

from typing import Any

import pytest

from companyos.sdk.automations import given
from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import (
    NOW,
    Row,
    absence,
    entitlement,
    orders,
    owned,
    period,
    period_line,
    person,
    published,
    score,
    source,
    start,
    vendor,
)

ALEX = "alex.agent"
NAME = "Ada King"
GRANT = {"person_id": ALEX, "permission": "refresh_metrics", "reason": "Audit."}


def closed_books(**changes: Any) -> dict[str, list[Row]]:
    """Return a period of one metric, whose source will bring another value."""
    return {
        "metrics": [score(value=12.5)],
        "sources": [source(values=[99.0])],
        "periods": [period(**changes)],
        "period_lines": [period_line("MET-0104")],
    }


async def values(world: World) -> list[tuple[float, float]]:
    """Return value and variance of each line of the period."""
    lines = (await world.get("/periods/PER-101")).json()["lines"]
    return [(line["value"], line["variance"]) for line in lines]


async def refresh(world: World) -> None:
    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR)


@pytest.mark.parametrize("status", ["open", "reopened"])
async def test_a_period_that_is_not_locked_shows_the_present_values(datahub: Desk, status: str) -> None:
    world = await start(datahub, **closed_books(status=status))

    await refresh(world)

    assert await values(world) == [(99.0, 89.0)]


async def test_a_period_is_locked_while_a_metric_that_feeds_its_own_is_refreshed(datahub: Desk) -> None:
    books = closed_books()
    books["metrics"] = [score(upstream=["MET-0200"]), score(id="MET-0200")]
    world = await start(datahub, **books)
    await world.post("/catalog/metrics/MET-0200/refresh")

    assert (await world.post("/periods/PER-101/lock")).status_code == 200


async def test_a_line_without_a_metric_is_locked_without_a_value(datahub: Desk) -> None:
    books = closed_books()
    books["period_lines"].append(period_line("MET-0999"))
    world = await start(datahub, **books)

    locked = (await world.post("/periods/PER-101/lock")).json()

    assert [line["metric_id"] for line in locked["lines"]] == ["MET-0104"]
    rows = await world.rows("period_lines")
    assert {key: row["locked_value"] for key, row in rows.items()} == {
        "PER-101:MET-0104": 12.5,
        "PER-101:MET-0999": None,
    }


@pytest.mark.parametrize(
    ("table", "row", "counts"),
    [
        ("records", vendor(id="X-1", name=NAME), True),
        ("entitlements", {**entitlement(note=f"For {NAME}."), "id": "X-1"}, True),
        (
            "documents",
            {
                "id": "X-1",
                "kind": "letter",
                "title": NAME,
                "department": "care",
                "author": "x",
                "written_at": 0,
                "body": "-",
            },
            True,
        ),
        (
            "messages",
            {
                "id": "X-1",
                "thread": "X-1",
                "sender": NAME,
                "recipient": ALEX,
                "sent_at": 0,
                "subject": "-",
                "body": "-",
            },
            False,
        ),
    ],
    ids=["record", "entitlement", "document", "message"],
)
async def test_a_redaction_counts_up_the_version_of_what_has_one(
    datahub: Desk, table: str, row: Row, counts: bool
) -> None:
    world = await start(datahub, **{table: [row]}, ownerships=[owned("X-1")])

    body = {"mode": "redact", "basis": "TD-1", "identifiers": [NAME]}
    answer = await world.post("/personal-data/X-1/erase", json=body)

    assert answer.status_code == 200
    [redacted] = (await world.rows(table)).values()
    assert redacted.get("version") == (2 if counts else None)
    assert list(await world.rows("ownerships")) == ["X-1"]
    [event] = await published(world, "data.erased")
    assert event["mode"] == "redact"


async def test_a_release_keeps_its_instant_and_its_reason(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])
    await world.post("/catalog/metrics/MET-0104/quarantine", json={"reason": "It is wrong."})
    await world.advance(HOUR)

    await world.post("/catalog/metrics/MET-0104/release", json={"reason": "It was right."})

    assert await world.rows("quarantines") == {
        "MET-0104-Q1": {
            "id": "MET-0104-Q1",
            "metric_id": "MET-0104",
            "by": ALEX,
            "reason": "It is wrong.",
            "at": NOW,
            "released_by": ALEX,
            "released_at": NOW + HOUR,
            "release_reason": "It was right.",
        }
    }


async def test_a_requested_permission_is_kept_with_its_reason_and_its_instants(datahub: Desk) -> None:
    permission = {"id": "refresh_metrics", "allows": "Refresh.", "grant_s": HOUR, "roles": ["cfo"]}
    earlier = {**GRANT, "id": "ACC-0007", "person_id": "x", "requested_at": 0, "due_at": 60, "granted_at": 60}
    world = await start(datahub, permissions=[permission], grants=[earlier])

    await world.post("/access", json={"permission": "Refresh_Metrics", "reason": "TD-1042 needs it."})
    await world.advance(2 * HOUR)

    assert (await world.rows("grants"))["ACC-0008"] == {
        **GRANT,
        "id": "ACC-0008",
        "reason": "TD-1042 needs it.",
        "requested_at": NOW,
        "due_at": NOW + HOUR,
        "granted_at": NOW + HOUR,
    }


async def test_of_several_requests_for_a_permission_the_latest_is_told(datahub: Desk) -> None:
    permission = {"id": "refresh_metrics", "allows": "Refresh.", "grant_s": HOUR, "roles": ["cfo"]}
    earlier = {**GRANT, "id": "ACC-0001", "requested_at": 0, "due_at": NOW + HOUR}
    later = {**earlier, "id": "ACC-0002", "due_at": NOW + DAY}
    world = await start(datahub, permissions=[permission], grants=[earlier, later])

    told = (await world.get("/access/refresh_metrics")).json()

    assert (told["held"], told["due_at"]) == (False, to_iso(NOW + DAY))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"manager": "dora"}, ["ann", "ben"]),
        ({"manager": "dora", "role": "cfo"}, ["ben"]),
        ({"manager": "dora", "q": "ANN"}, ["ann"]),
        ({"q": "dora"}, ["dora"]),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
async def test_people_are_found_by_manager_role_and_text_together(
    datahub: Desk, query: dict[str, str], found: list[str]
) -> None:
    team = [person("ann", role="analyst", manager="dora"), person("ben", manager="dora"), person("dora")]
    world = await start(datahub, people=[*team, person("eve", manager="ben")])

    listed = (await world.get("/people", params=query)).json()

    assert [one["id"] for one in listed["items"]] == found


async def test_a_profile_and_a_role_name_at_most_fifty_people(datahub: Desk) -> None:
    people = [person(f"p{number:02}", manager="boss") for number in range(52)]
    world = await start(datahub, people=[person("boss", role="head"), *people])

    profile = (await world.get("/people/boss")).json()
    approver = (await world.get("/approvers/cfo")).json()

    assert profile["reports"] == [f"p{number:02}" for number in range(50)]
    assert [approver["id"], *approver["others"]] == profile["reports"]


@pytest.mark.parametrize(("ends_at", "is_shown"), [(NOW, False), (NOW + 1, True)])
async def test_an_absence_is_shown_until_just_before_its_end(
    datahub: Desk, ends_at: int, is_shown: bool
) -> None:
    world = await start(datahub, people=[person()], absences=[absence(ends_at=ends_at)])

    profile = (await world.get("/people/sarah.chen")).json()

    assert (len(profile["absences"]) == 1, profile["is_away"]) == (is_shown, is_shown)


async def test_lineage_tells_what_each_metric_is_about_and_whether_it_counts(datahub: Desk) -> None:
    metrics = [
        score(id="MET-1", upstream=["MET-2"]),
        score(id="MET-2", name="orders", subject="V-9", status="quarantined", as_of=NOW),
    ]
    world = await start(datahub, metrics=metrics, datasets=[orders()])

    [node] = (await world.get("/catalog/metrics/MET-1/lineage")).json()["upstream"]

    shown = {"id": "MET-2", "name": "orders", "subject": "V-9", "status": "quarantined"}
    assert node == {**shown, "is_stale": False, "distance": 1}


@pytest.mark.parametrize(
    ("metrics", "sources", "is_met"),
    [
        ([score(value=1.0)], [], True),
        ([score(value=1.0)], [source(values=[9.0, 1.0])], False),
        ([score(value=9.0)], [source(values=[1.0, 9.0])], True),
        ([score(value=1.0)], [source(values=[])], True),
    ],
    ids=["no source", "source above", "first value of the source", "source without values"],
)
async def test_a_rule_reads_the_value_that_the_next_refresh_would_bring(
    datahub: Desk, metrics: list[Row], sources: list[Row], is_met: bool
) -> None:
    rule: Row = {"id": "AUT-1", "name": "x", "description": "x", "number": 1, "trigger": "asset.assigned"}
    rule |= {"when": [given({"value": "live_metric", "of": "MET-0104"}, "lt", 5)]}
    rule |= {"do": {"action": "change_clearance", "with": {"person": "$holder", "by": 1}}}
    asset = {"id": "AST-1", "name": "Key", "asset_class": "A"}
    people = {"people": [person("ana")], "clearances": [{"id": "ana", "level": 1}]}
    tables = {"metrics": metrics, "sources": sources, "assets": [asset], "automations": [rule]}
    world = await start(datahub, **tables, **people)

    effects = await world.effects("POST", "/assets/AST-1/assign", json={"person_id": "ana"})
    await world.applied(effects["events"][-1]["id"])

    assert (await world.get("/clearances/ana")).json()["level"] == (2 if is_met else 1)
