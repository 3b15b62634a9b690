"""What an auditor reads: the rules in force, the notices that apply today, and when the ledger is closed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.data_quality_audit import agents
from scenarios.packs.analytics import texts
from tests.scenarios.scripted import Conversation, by, listed

from .replies import (
    AREA,
    FEEDS,
    RULES,
    board,
    count_notice,
    documents,
    feed,
    ledger_notice,
    office,
)


def test_the_tolerance_and_the_reason_are_those_of_the_departments_rules() -> None:
    talk = office()

    assert talk.run(agents._rules(talk.asker())) == (2.5, "release_missing")
    assert talk.calls_of("datahub_get_document") == [{"document_id": "DOC-2"}]


@pytest.mark.parametrize(("tenths", "percent"), [("1.5", 1.5), ("8", 8.0)])
def test_a_tolerance_is_read_with_and_without_a_fraction(tenths: str, percent: float) -> None:
    body = texts.POLICY.format(title=texts.POLICY_TITLE, tolerance=tenths, reason="consent_absent")
    talk = office(told=documents(("policy", "Data", body)))

    assert talk.run(agents._rules(talk.asker())) == (percent, "consent_absent")


@pytest.mark.parametrize(
    ("kind", "department"), [("policy", "Warehouse"), ("notice", "Data")], ids=["department", "kind"]
)
def test_other_documents_about_quarantine_are_no_rules_for_audits(kind: str, department: str) -> None:
    talk = office(told=documents((kind, department, RULES)))

    with pytest.raises(LookupError, match="no rules for audits"):
        talk.run(agents._rules(talk.asker()))


def test_only_documents_in_force_are_searched() -> None:
    talk = office()

    talk.run(agents._rules(talk.asker()))
    talk.run(agents._in_force(talk.asker(), AREA, "calendar"))

    assert {one["status"] for one in talk.calls_of("datahub_search_documents")} == {"in_force"}


def test_the_calendar_dates_the_close() -> None:
    talk = office()

    assert talk.run(agents._close(talk.asker(), AREA)) == "2031-03-10"


def test_an_area_without_a_calendar_is_an_error() -> None:
    talk = office(told=documents(("policy", "Data", RULES)))

    with pytest.raises(LookupError, match="no calendar"):
        talk.run(agents._close(talk.asker(), AREA))


def noticed(*bodies: str, close: str = "2031-03-10") -> dict[str, str]:
    """Return the notices that an auditor applies on 3 March 2031."""
    calendar = texts.CALENDAR.format(area=AREA, day=close)
    talk = office(
        told=documents(("calendar", "Finance", calendar), *(("notice", "Data", body) for body in bodies))
    )
    return talk.run(agents._notices(talk.asker(), AREA))


@pytest.mark.parametrize(
    ("first", "last", "applies"),
    [
        ("2031-03-03", "2031-03-03", True),
        ("2031-02-01", "2031-03-03", True),
        ("2031-03-03", "2031-04-01", True),
        ("2031-02-01", "2031-03-02", False),
        ("2031-03-04", "2031-04-01", False),
    ],
    ids=["today only", "until today", "from today", "until yesterday", "from tomorrow"],
)
def test_a_notice_applies_from_its_first_day_to_its_last(first: str, last: str, applies: bool) -> None:
    body = ledger_notice("10.00", first=first, last=last)

    assert noticed(body) == ({"FEED-1": body} if applies else {})


@pytest.mark.parametrize(
    ("close", "applies"), [("2031-03-02", False), ("2031-03-03", True), ("2031-03-04", True)]
)
def test_a_notice_to_the_close_applies_on_the_day_of_the_close_and_not_after(
    close: str, applies: bool
) -> None:
    body = ledger_notice("10.00", last="the close of the ledger")

    assert (noticed(body, close=close) != {}) is applies


def test_the_close_is_no_concern_of_a_notice_with_a_day_of_its_own() -> None:
    assert noticed(ledger_notice("10.00"), close="2031-02-25") != {}


def test_each_notice_is_kept_for_the_feed_that_it_names() -> None:
    item, rows = ledger_notice("10.00"), count_notice()

    assert noticed(item, rows) == {"FEED-1": item, "FEED-3": rows}


def test_nothing_applies_where_there_are_no_notices() -> None:
    assert noticed() == {}


@pytest.mark.parametrize(
    ("body", "amount"),
    [
        (ledger_notice("1,234.50"), 1234.5),
        (ledger_notice("1,234.50", "lacks"), -1234.5),
        (count_notice(), 0.0),
        ("", 0.0),
        ("The ledger holds nothing for Orders.", 0.0),
    ],
    ids=["holds", "lacks", "rows that count", "no notice", "no amount"],
)
def test_a_ledger_item_is_what_the_ledger_holds_on_top(body: str, amount: float) -> None:
    assert agents._ledger_item(body) == amount


@given(st.integers(1, 10**10), st.sampled_from(["holds", "lacks"]))
def test_an_amount_is_read_as_a_notice_prints_it(cents: int, verb: str) -> None:
    amount = agents._ledger_item(ledger_notice(f"{cents / 100:,.2f}", verb))

    assert amount == (cents if verb == "holds" else -cents) / 100


def test_records_of_another_area_are_not_listed_even_if_a_search_finds_them() -> None:
    other = feed(9, "Orders", f"{AREA} and South")
    talk = office(datahub_list_records=listed(*FEEDS, other))

    assert talk.run(agents._listed(talk.asker(), "data_feed", AREA)) == FEEDS


def released(board_id: str, *releases: tuple[str, list[str]]) -> tuple[bool, Conversation]:
    """Return whether a dashboard may be quarantined, by releases as (id, links)."""
    found = {one: {"id": one, "links": links} for one, links in releases}
    talk = office(
        datahub_search_documents=listed(*({"id": one} for one in found)),
        datahub_get_document=by("document_id", found),
    )
    return talk.run(agents._is_released(talk.asker(), board(1) | {"id": board_id})), talk


def test_a_dashboard_is_released_by_the_document_that_links_it() -> None:
    is_released, talk = released("DSH-1", ("DOC-1", ["DSH-11"]), ("DOC-2", ["DSH-1"]))

    assert is_released
    [asked] = talk.calls_of("datahub_search_documents")
    assert (asked["kind"], asked["status"]) == ("release", "in_force")
    assert asked["q"].endswith("Board 1")


@pytest.mark.parametrize("releases", [(), (("DOC-1", ["DSH-11"]),)], ids=["none", "of another one"])
def test_a_dashboard_without_a_release_is_not_released(releases: tuple[tuple[str, list[str]], ...]) -> None:
    assert not released("DSH-1", *releases)[0]


def test_a_metric_is_found_by_its_name_or_not_at_all() -> None:
    metrics = [{"id": "MET-1", "name": "feed_total_average"}, {"id": "MET-2", "name": "feed_total"}]

    assert agents._named(metrics, "feed_total") == "MET-2"
    assert agents._named(metrics, "control_total") is None


def test_the_area_and_the_ticket_are_read_from_the_brief() -> None:
    me = office().asker()

    assert agents._found(r"the dashboards of ([A-Z][\w ]+?),", me.text) == AREA
    assert me.ticket_id == "TD-100"
    with pytest.raises(LookupError, match="nothing like"):
        agents._found(r"(\d+) feeds", me.text)
