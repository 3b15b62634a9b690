"""The documents of an audit: editions of the rules, releases, minutes, and what colleagues claim."""

import re

import pytest

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR
from scenarios.data_quality_audit.estate import FIRST
from scenarios.data_quality_audit.papers import CLAIMS, REASONS, draw_reason
from scenarios.packs.analytics import names

from .drawings import SEEDS, Drawing, drawing
from .grades import drawn_for

SOME = SEEDS[:16:2]


def editions(drawn: Drawing) -> dict[str, dict[str, object]]:
    """Return the editions of the rules by status."""
    return {row["status"]: row for row in drawn.rows("documents", kind="policy", department="Data")}


def tolerance(body: object) -> float:
    return float(re.findall(r"more than ([\d.]+) percent", str(body))[0])


def test_a_reason_joins_a_word_of_either_list() -> None:
    reasons = {draw_reason(Draws("reason", number)) for number in range(900)}

    assert reasons == {f"{one}_{other}" for one in REASONS[0] for other in REASONS[1]}
    assert all(re.fullmatch(r"\w+", reason) for reason in reasons)


@pytest.mark.parametrize("seed", SOME)
def test_every_edition_of_the_rules_has_a_tolerance_of_its_own_and_one_reason(seed: int) -> None:
    drawn = drawing(seed)
    found = editions(drawn)

    assert set(found) == {"superseded", "in_force", "draft"}
    assert len({tolerance(one["body"]) for one in found.values()}) == 3
    assert all(f"reason `{drawn.facts.reason}`" in str(one["body"]) for one in found.values())
    assert drawn.facts.rules["id"] == found["in_force"]["id"]


@pytest.mark.parametrize("seed", SOME)
def test_editions_follow_each_other_from_the_previous_one_to_the_draft(seed: int) -> None:
    drawn = drawing(seed)
    found = editions(drawn)
    before, here, draft = (found[status] for status in ("superseded", "in_force", "draft"))

    assert [one["supersedes"] for one in (before, here, draft)] == [None, before["id"], here["id"]]
    written = [drawn.company.start - int(str(one["written_at"])) for one in (before, here, draft)]
    assert written[0] - written[1] == 300 * DAY
    assert 40 * DAY <= written[1] <= 200 * DAY
    assert written[2] == 6 * DAY


def test_the_warehouse_has_rules_about_quarantine_too() -> None:
    [goods] = drawing(0).rows("documents", kind="policy", department="Warehouse")

    assert goods["status"] == "in_force"
    assert "percent" in goods["body"]
    assert "feed" in goods["body"]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_statutory_dashboard_has_a_release_in_force_unless_the_plan_withdrew_it(seed: int) -> None:
    drawn = drawing(seed)
    lacks = drawn.facts.missing is not None or drawing(seed ^ 1).facts.missing is not None

    for one in drawn.facts.boards:
        statuses = [row["status"] for row in drawn.about("release", one.board.record["id"])]
        withdrawn = lacks and one.suspect == FIRST
        assert statuses == (["withdrawn" if withdrawn else "in_force"] if one.is_statutory else [])


def test_a_release_names_its_dashboard_in_title_text_and_link() -> None:
    drawn = drawn_for(lacks_release=True)
    assert drawn.facts.missing is not None

    [release] = drawn.about("release", drawn.facts.missing["id"])

    assert release["title"].endswith(drawn.facts.missing["name"])
    assert f"{drawn.facts.missing['name']} ({drawn.facts.missing['id']})" in release["body"]
    assert 20 * DAY <= drawn.company.start - release["written_at"] <= 90 * DAY


@pytest.mark.parametrize("seed", SOME)
def test_the_minutes_explain_the_feed_that_jumped(seed: int) -> None:
    drawn = drawing(seed)
    jumped = drawn.facts.feeds[3].record

    [minutes] = drawn.about("minutes", jumped["id"])

    assert f"- {jumped['name']}: the total jumped because" in minutes["body"]
    assert any(cause in minutes["body"] for cause in names.ONE_OFFS)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_four_claims_are_made_once_each_about_what_they_name(seed: int) -> None:
    drawn = drawing(seed)
    jumped, stale, _ = (feed.record["name"] for feed in drawn.facts.feeds[3:])

    bodies = [row["body"] for row in drawn.rows("comments", "ticketdesk", ticket_id=drawn.facts.ticket["id"])]

    assert len(bodies) == len(CLAIMS)
    assert sum(f"That is {jumped}, surely" in body for body in bodies) == 1
    assert sum(body.startswith(f"{stale} was last loaded weeks ago") for body in bodies) == 1
    assert sum("reported no error this morning" in body for body in bodies) == 1
    assert not [body for body in bodies if "{" in body]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_feed_that_is_praised_and_the_one_that_is_blamed_are_the_two_with_a_control_total(
    seed: int,
) -> None:
    drawn = drawing(seed)
    told = " ".join(
        row["body"] for row in drawn.rows("comments", "ticketdesk", ticket_id=drawn.facts.ticket["id"])
    )
    controlled = {feed.record["name"] for feed in drawn.facts.suspects.values() if feed.control}

    praised = re.findall(r"The job of (.+?) reported no error", told)
    blamed = re.findall(r"I compared (.+?) with the control total", told)

    assert {*praised, *blamed} == controlled


@pytest.mark.parametrize("seed", SOME)
def test_the_dashboard_that_colleagues_doubt_rests_on_no_suspect(seed: int) -> None:
    drawn = drawing(seed)
    healthy = {one.board.record["name"] for one in drawn.facts.boards if one.suspect is None}
    bodies = [row["body"] for row in drawn.rows("comments", "ticketdesk", ticket_id=drawn.facts.ticket["id"])]

    [doubted] = [body.partition(" has more than doubled")[0] for body in bodies if "doubled" in body]

    assert doubted in healthy


def test_the_claim_about_the_control_total_comes_in_every_place() -> None:
    places = set()

    for drawn in map(drawing, SEEDS[::2]):
        comments = drawn.rows("comments", "ticketdesk", ticket_id=drawn.facts.ticket["id"])
        places |= {place for place, one in enumerate(comments) if "I compared" in one["body"]}

    assert places == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", SOME)
def test_the_audits_ticket_was_opened_this_night_by_the_reporter(seed: int) -> None:
    drawn = drawing(seed)
    ticket = drawn.facts.ticket

    assert ticket["created_at"] == ticket["updated_at"] == drawn.company.start - 5 * HOUR
    assert ticket["reporter"] == drawn.cast.reporter.id
    assert drawn.facts.area.name in ticket["title"]
