"""The objects around a morning's tickets: what counts, and what is only there to mislead."""

import pytest

from companyos.company import Row
from companyos.sdk.simtime import DAY, HOUR, MINUTE
from scenarios.support_triage.content import CUSTOMERS, DEFECTS, FAILURE, QUESTIONS, TIERS, Topic
from scenarios.support_triage.reading import section, tier_of
from scenarios.support_triage.world import REFRESH_S

from .mornings import SEEDS, Built, built

DOWN = [(True, False), (False, True), (True, True)]
IDS = ["first", "second", "both"]


def documents(desk: Built, kind: str) -> list[Row]:
    return [row for row in desk.company.rows["datahub"]["documents"] if row["kind"] == kind]


def document(desk: Built, document_id: str) -> Row:
    return desk.company.row("datahub", "documents", document_id)


def in_effect(desk: Built, editions: list[Row]) -> Row:
    """Return the edition of a contract that applies at the start."""
    begun = [
        row
        for row in editions
        if row["status"] == "in_force" and (row["effective_from"] or row["written_at"]) <= desk.company.start
    ]
    return max(begun, key=lambda row: int(row["effective_from"] or row["written_at"]))


@pytest.mark.parametrize("down", DOWN, ids=IDS)
def test_a_refresh_shows_a_service_above_the_limit_exactly_if_it_is_down(down: tuple[bool, bool]) -> None:
    for seed in SEEDS:
        desk = built(seed, down)
        rates = [desk.company.source(row["id"])["values"] for row in desk.services.metrics.values()]

        assert [rate > desk.rules.limit for [rate] in rates] == list(down)
        assert all(abs(rate - desk.rules.limit) >= 2 for [rate] in rates)


@pytest.mark.parametrize("down", DOWN, ids=IDS)
def test_yesterdays_rates_show_both_services_up_and_are_stale(down: tuple[bool, bool]) -> None:
    for seed in SEEDS:
        desk = built(seed, down)
        for metric in desk.services.metrics.values():
            age_s = desk.company.start - metric["as_of"]
            assert metric["value"] < desk.rules.limit
            assert age_s >= 14 * HOUR > metric["ttl_s"]
            assert metric["refresh_s"] == REFRESH_S


def test_which_service_is_down_shows_in_nothing_but_the_refreshed_rates() -> None:
    for seed in SEEDS:
        rows = [built(seed, down).company.rows for down in DOWN[:2]]
        differing = [
            (service, table)
            for service, tables in rows[0].items()
            for table, found in tables.items()
            if found != rows[1][service][table]
        ]

        assert differing == [("datahub", "sources")]


def test_each_service_has_one_incident_and_the_two_read_alike() -> None:
    for seed in SEEDS:
        desk = built(seed)
        tickets = {row["id"]: row for row in desk.company.rows["ticketdesk"]["tickets"]}
        incidents = [tickets[desk.services.incidents[service]] for service in desk.services.both]

        assert [row["subject"] for row in incidents] == list(desk.services.both)
        assert len({row["kind"] for row in incidents}) == 1
        texts = {row["description"].replace(desk.services.names[row["subject"]], "…") for row in incidents}
        assert len(texts) == 1
        assert {desk.company.start - row["created_at"] for row in incidents} == {50 * MINUTE}


def test_customers_have_different_names_and_tiers_of_every_kind() -> None:
    tiers, names = set(), []
    customers = built().customers
    for _ in CUSTOMERS:
        account, tier = customers.next(None, renewed=False)
        names.append(account["name"])
        tiers.add(tier)

    assert sorted(names) == sorted(CUSTOMERS)
    assert tiers == set(TIERS)


@pytest.mark.parametrize("number", [0, 1])
def test_a_customer_is_served_by_the_service_that_is_asked_for(number: int) -> None:
    desk = built()
    service = desk.services.both[number]

    account, _ = desk.customers.next(service, renewed=False)

    assert account["fields"]["served_by"] == service


def test_any_other_customer_is_served_by_one_of_the_two() -> None:
    desk = built()
    customers = desk.customers

    served_by = {customers.next(None, renewed=False)[0]["fields"]["served_by"] for _ in range(20)}

    assert served_by == set(desk.services.both)


def test_the_contract_of_a_customer_states_the_tier_that_counts() -> None:
    for seed in SEEDS:
        for renewed in (True, False):
            desk = built(seed)
            account, tier = desk.customers.next(None, renewed=renewed)

            assert tier_of(in_effect(desk, documents(desk, "contract"))) == tier
            assert (account["fields"]["tier"] == tier) is not renewed


def test_a_renewed_contract_replaces_the_one_of_the_tier_on_file() -> None:
    for seed in SEEDS:
        desk = built(seed)
        account, tier = desk.customers.next(None, renewed=True)
        old, new = documents(desk, "contract")

        assert (old["status"], new["status"]) == ("superseded", "in_force")
        assert new["supersedes"] == old["id"]
        assert (tier_of(old), tier_of(new)) == (account["fields"]["tier"], tier)
        assert desk.company.start - new["written_at"] == DAY


def test_other_editions_are_drafts_or_take_effect_days_later_with_another_tier() -> None:
    kinds = set()
    for seed in SEEDS:
        desk = built(seed)
        _, tier = desk.customers.next(None, renewed=False)
        current, *others = documents(desk, "contract")
        for other in others:
            assert tier_of(other) != tier
            if other["status"] == "in_force":
                assert other["effective_from"] >= desk.company.start + 5 * DAY
                assert other["supersedes"] == current["id"]
        kinds.add(tuple(other["status"] for other in others))

    assert kinds == {(), ("draft",), ("in_force",)}


def test_a_contract_names_its_customer_and_links_to_the_record() -> None:
    desk = built()

    account, _ = desk.customers.next(None, renewed=False)

    [contract, *_] = documents(desk, "contract")
    assert f"({account['id']})" in contract["title"]
    assert account["name"] in contract["body"]
    assert contract["links"] == [account["id"]]


@pytest.mark.parametrize("kind", ["handbook", "article", "release_notes", "known_issues", "notice"])
def test_the_documents_that_count_are_in_force_and_the_newest_of_their_title(kind: str) -> None:
    for seed in SEEDS:
        desk = built(seed)
        library = desk.written()
        counting = {
            "handbook": {library.handbook},
            "article": set(library.articles.values()),
            "release_notes": {library.release_notes},
            "known_issues": {library.known_issues},
            "notice": set(library.notices.values()),
        }[kind]

        found = documents(desk, kind)
        assert {row["id"] for row in found if row["status"] == "in_force"} == counting
        for row in found:
            alike = [one for one in found if one["title"] == row["title"] and one["id"] in counting]
            assert all(one["written_at"] >= row["written_at"] for one in alike)


def test_last_years_handbook_states_other_rules_in_the_same_words() -> None:
    for seed in SEEDS:
        desk = built(seed)
        now = document(desk, desk.written().handbook)
        [old] = [row for row in documents(desk, "handbook") if row["id"] != now["id"]]

        assert (old["status"], now["supersedes"]) == ("superseded", old["id"])
        assert old["title"] == now["title"]
        assert old["body"] != now["body"]
        assert now["links"] == list(desk.services.both)


@pytest.mark.parametrize("topic", [*QUESTIONS, FAILURE], ids=lambda topic: topic.id)
def test_every_topic_has_its_article_and_an_obsolete_one_that_says_something_else(topic: Topic) -> None:
    statuses = set()
    for seed in SEEDS:
        desk = built(seed)
        now = document(desk, desk.written().articles[topic.id])
        [old] = [
            row
            for row in documents(desk, "article")
            if row["title"] == now["title"] and row["id"] != now["id"]
        ]
        statuses.add(old["status"])
        assert old["body"] != now["body"]
        assert now["supersedes"] == (old["id"] if old["status"] == "superseded" else None)

    assert statuses == {"draft", "superseded", "withdrawn"}


def test_the_notes_in_force_fix_one_defect_and_the_known_issues_name_the_other() -> None:
    for seed in SEEDS:
        desk = built(seed)
        library = desk.written()
        fixed, open_ = sorted(DEFECTS, key=lambda one: one.id != desk.services.fixed_defect)

        notes = section(document(desk, library.release_notes)["body"], "Fixed")
        issues = section(document(desk, library.known_issues)["body"], "Open")
        assert (fixed.advice in notes, open_.advice in notes) == (True, False)
        assert (fixed.advice in issues, open_.advice in issues) == (False, True)


def test_a_draft_of_the_next_release_fixes_the_other_defect_already() -> None:
    for seed in SEEDS:
        desk = built(seed)
        desk.written()
        [draft] = [row for row in documents(desk, "release_notes") if row["status"] == "draft"]

        [open_] = [one for one in DEFECTS if one.id != desk.services.fixed_defect]
        assert open_.advice in section(draft["body"], "Fixed")


def test_known_issues_from_before_the_release_name_both_defects() -> None:
    desk = built()
    desk.written()

    [old] = [row for row in documents(desk, "known_issues") if row["status"] == "superseded"]

    assert all(defect.advice in old["body"] for defect in DEFECTS)


def test_releases_are_numbered_in_their_order() -> None:
    desk = built()
    desk.written()

    titles = [
        row["title"] for row in sorted(documents(desk, "release_notes"), key=lambda row: row["written_at"])
    ]

    numbers = [int(title.removeprefix("Release ")) for title in titles]
    assert numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2]


def test_each_service_has_a_notice_that_names_and_links_to_it() -> None:
    desk = built()
    library = desk.written()

    for service, name in desk.services.names.items():
        notice = document(desk, library.notices[service])
        assert name in notice["body"]
        assert notice["links"] == [service]


def test_either_defect_may_be_the_fixed_one() -> None:
    assert {built(seed).services.fixed_defect for seed in SEEDS} == {defect.id for defect in DEFECTS}
