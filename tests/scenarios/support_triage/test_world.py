"""The objects around a morning's tickets: what counts, and what is only there to mislead."""

import pytest

from companyos.company import Row
from companyos.sdk.simtime import DAY, HOUR
from scenarios.support_triage.content import DEFECTS, FAILURE, QUESTIONS
from scenarios.support_triage.reading import section, tier_of
from scenarios.support_triage.world import REFRESH_S

from .mornings import SEEDS, Built, built

DOWN = [(True, False), (False, True), (True, True)]


def documents(desk: Built, kind: str) -> list[Row]:
    return [row for row in desk.company.rows["datahub"]["documents"] if row["kind"] == kind]


def document(desk: Built, document_id: str) -> Row:
    return desk.company.row("datahub", "documents", document_id)


def since(document: Row) -> int:
    return int(document["effective_from"] or document["written_at"])


@pytest.mark.parametrize("down", DOWN, ids=["first", "second", "both"])
def test_only_a_refresh_shows_which_service_is_above_the_limit(down: tuple[bool, bool]) -> None:
    for seed in SEEDS:
        desk = built(seed, down)
        metrics = [*desk.services.metrics.values()]
        rates = [desk.company.source(row["id"])["values"] for row in metrics]
        assert [rate > desk.rules.limit for [rate] in rates] == list(down)
        assert all(abs(rate - desk.rules.limit) >= 2 for [rate] in rates)
        for metric in metrics:
            assert metric["value"] < desk.rules.limit
            assert desk.company.start - metric["as_of"] >= 14 * HOUR > metric["ttl_s"]
            assert metric["refresh_s"] == REFRESH_S
        rows, others = desk.company.rows, built(seed, DOWN[0]).company.rows
        tables = [(service, table) for service in rows for table in rows[service]]
        differing = {(a, b) for a, b in tables if rows[a][b] != others[a][b]}
        assert differing <= {("datahub", "sources")}


def test_each_service_has_one_incident_and_the_two_read_alike() -> None:
    for seed in SEEDS:
        desk = built(seed)
        tickets = {row["id"]: row for row in desk.company.rows["ticketdesk"]["tickets"]}
        incidents = [tickets[desk.services.incidents[service]] for service in desk.services.both]
        texts = {row["description"].replace(desk.services.names[row["subject"]], "…") for row in incidents}
        assert [row["subject"] for row in incidents] == list(desk.services.both)
        assert len({row["kind"] for row in incidents}) == len(texts) == 1


@pytest.mark.parametrize("renewed", [True, False])
def test_the_contract_in_effect_states_the_tier_that_counts_and_other_editions_another(
    *, renewed: bool
) -> None:
    statuses = set()
    for seed in SEEDS:
        desk = built(seed)
        account, tier = desk.customers.next(None, renewed=renewed)
        editions, start = documents(desk, "contract"), desk.company.start
        begun = [row for row in editions if row["status"] == "in_force" and since(row) <= start]
        counts = max(begun, key=since)
        statuses |= {row["status"] for row in editions if row is not counts}
        assert tier_of(counts) == tier
        assert (account["fields"]["tier"] == tier) is not renewed
        for row in (row for row in editions if row is not counts):
            assert tier_of(row) != tier
            assert row["status"] != "in_force" or since(row) >= start + 5 * DAY
        assert counts["links"] == [account["id"]]
    assert statuses == ({"superseded"} if renewed else {"draft", "in_force"})


@pytest.mark.parametrize("kind", ["handbook", "article", "release_notes", "known_issues", "notice"])
def test_the_documents_that_count_are_in_force_and_older_ones_of_their_title_say_something_else(
    kind: str,
) -> None:
    for seed in SEEDS:
        desk = built(seed)
        library = desk.written()
        counting = {
            "handbook": {library.handbook},
            "article": {*library.articles.values()},
            "release_notes": {library.release_notes},
            "known_issues": {library.known_issues},
            "notice": {*library.notices.values()},
        }[kind]
        found = documents(desk, kind)
        assert {row["id"] for row in found if row["status"] == "in_force"} == counting
        for row in (row for row in found if row["id"] not in counting):
            for one in (one for one in found if one["title"] == row["title"] and one["id"] in counting):
                assert one["written_at"] >= row["written_at"]
                assert one["body"] != row["body"]
        if kind == "article":
            topics = len([*QUESTIONS, FAILURE])
            assert (len(counting), len(found)) == (topics, 2 * topics)


def test_the_notes_in_force_fix_one_defect_the_known_issues_name_the_other_and_a_draft_fixes_it() -> None:
    first = set()
    for seed in SEEDS:
        desk = built(seed)
        library = desk.written()
        fixed, left = sorted(DEFECTS, key=lambda one: one.id != desk.services.fixed_defect)
        first.add(fixed.id)
        notes = section(document(desk, library.release_notes)["body"], "Fixed")
        issues = section(document(desk, library.known_issues)["body"], "Open")
        [draft] = [row for row in documents(desk, "release_notes") if row["status"] == "draft"]
        [old] = [row for row in documents(desk, "known_issues") if row["status"] == "superseded"]
        assert (fixed.advice in notes, left.advice in notes) == (True, False)
        assert (fixed.advice in issues, left.advice in issues) == (False, True)
        assert left.advice in section(draft["body"], "Fixed")
        assert all(defect.advice in old["body"] for defect in DEFECTS)
    assert first == {defect.id for defect in DEFECTS}


def test_each_service_has_a_notice_that_names_and_links_to_it() -> None:
    desk = built()
    library = desk.written()

    for service, name in desk.services.names.items():
        notice = document(desk, library.notices[service])
        assert name in notice["body"]
        assert notice["links"] == [service]
