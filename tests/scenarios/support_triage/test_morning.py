"""The tickets of a morning: which occur, when they arrive, and how one differs from those that resemble it."""

from collections.abc import Callable, Iterator

import pytest

from companyos.company import Company, Row
from companyos.sdk.simtime import HOUR, MINUTE
from scenarios.support_triage.cases import SupportCase
from scenarios.support_triage.content import CHATTER, QUESTIONS, SHOUTS, VAGUE
from scenarios.support_triage.pack import CASE, contact_of
from scenarios.support_triage.reading import thing_of

from .mornings import SEEDS, Built, built


def mornings() -> Iterator[tuple[Built, list[SupportCase]]]:
    for seed in SEEDS:
        desk = built(seed)
        yield desk, desk.morning.cases()


def of_sort(cases: list[SupportCase], *sorts: str) -> list[SupportCase]:
    return [case for case in cases if case.sort in sorts]


def stripped(text: str) -> str:
    """Return a text without what customers shout and chat."""
    for noise in (*SHOUTS, *CHATTER):
        text = text.replace(noise, "")
    return " ".join(text.split())


def rows_of(company: Company, table: str, case: SupportCase) -> list[Row]:
    return [dict(row) for row in company.rows["ticketdesk"][table] if row["id"] == case.ticket_id]


def test_each_service_has_exactly_one_failing_export_of_its_own() -> None:
    for desk, cases in mornings():
        served_by = [case.account["fields"]["served_by"] for case in of_sort(cases, "failure")]

        assert sorted(served_by) == sorted(desk.services.both)


def test_three_or_four_questions_of_different_topics_and_a_look_alike_come() -> None:
    counts = set()
    for _, cases in mornings():
        topics = [case.topic for case in of_sort(cases, "question")]
        counts.add(len(topics))
        assert len(set(topics)) == len(topics) - 1

    assert counts == {4, 5}


def test_a_defect_is_fixed_or_open_as_the_services_say() -> None:
    seen = set()
    for desk, cases in mornings():
        for case in of_sort(cases, "fixed", "defect"):
            assert case.topic is not None
            assert (case.sort == "fixed") == (case.topic.id == desk.services.fixed_defect)
            seen.add(case.sort)

    assert seen == {"fixed", "defect"}


def test_at_most_one_ticket_says_nothing_and_it_names_no_subject() -> None:
    counts = set()
    for _, cases in mornings():
        vague = of_sort(cases, "vague")
        counts.add(len(vague))
        assert all((case.title, case.text) in VAGUE for case in vague)
        assert all((case.topic, case.thing) == (None, "") for case in vague)

    assert counts == {0, 1}


def test_every_other_ticket_names_its_subject() -> None:
    for _, cases in mornings():
        for case in cases:
            found = thing_of({"title": case.title, "description": case.text})
            assert (found[1] if found else "") == case.thing


def test_exactly_one_customer_has_a_tier_other_than_on_file() -> None:
    for _, cases in mornings():
        renewed = {case.account["id"] for case in cases if case.tier != case.account["fields"]["tier"]}

        assert len(renewed) == 1


def test_exactly_one_ticket_shouts_and_only_a_question() -> None:
    for _, cases in mornings():
        [loud] = [case for case in cases if "URGENT" in case.title]

        assert loud.sort == "question"
        assert any(loud.text.startswith(shout) for shout in SHOUTS)


def test_a_duplicate_repeats_the_customer_and_the_subject_of_the_first_ticket_later() -> None:
    for desk, cases in mornings():
        [again] = of_sort(cases, "duplicate")
        [first] = [case for case in cases if case.ticket_id == again.into]

        assert (again.thing, again.account, again.topic) == (first.thing, first.account, first.topic)
        assert first.sort in ("failure", "question")
        assert first.at < desk.company.start < again.at


def test_a_duplicate_may_be_in_other_words() -> None:
    reworded = 0
    for _, cases in mornings():
        [again] = of_sort(cases, "duplicate")
        [first] = [case for case in cases if case.ticket_id == again.into]
        reworded += stripped(again.text) != stripped(first.text)

    assert reworded >= len(SEEDS) / 4


def look_alikes() -> Iterator[tuple[SupportCase, SupportCase]]:
    """Yield each look-alike, the last question to come, with the question that it resembles."""
    for desk, cases in mornings():
        questions = of_sort(cases, "question")
        topics = [case.topic for case in questions]
        [model, twin] = sorted(
            (case for case in questions if topics.count(case.topic) == 2),
            key=lambda case: case.at > desk.company.start,
        )
        yield model, twin


def test_a_look_alike_is_in_the_same_words_about_another_thing() -> None:
    for model, twin in look_alikes():
        assert twin.thing != model.thing
        assert stripped(twin.text) == stripped(model.text).replace(model.thing, twin.thing)
        assert twin.title == model.title.removeprefix("URGENT: ").replace(model.thing, twin.thing)
        assert twin.into is None


def test_a_look_alike_is_of_the_same_customer_or_of_another() -> None:
    same = [twin.account["id"] == model.account["id"] for model, twin in look_alikes()]

    assert set(same) == {True, False}


def test_a_look_alike_of_the_same_customer_has_the_same_tier() -> None:
    for model, twin in look_alikes():
        if twin.account["id"] == model.account["id"]:
            assert twin.tier == model.tier


def test_tickets_other_than_duplicates_have_unique_numbers_and_subjects() -> None:
    for _, cases in mornings():
        ids = [case.ticket_id for case in cases]
        things = [case.thing for case in cases if case.sort not in ("duplicate", "vague")]

        assert len(ids) == len(set(ids))
        assert len(things) == len(set(things))


def test_a_look_alike_is_about_another_thing_even_if_the_same_number_is_drawn(
    draw_alike: Callable[[str], None],
) -> None:
    draw_alike("thing")

    for model, twin in look_alikes():
        assert twin.thing != model.thing


def test_tickets_at_the_start_were_filed_within_the_last_hour() -> None:
    for desk, cases in mornings():
        for case in cases:
            if case.at <= desk.company.start:
                assert 4 * MINUTE <= desk.company.start - case.at <= 40 * MINUTE


def test_two_to_four_tickets_arrive_later_in_order_and_before_intake_closes() -> None:
    counts = set()
    for desk, cases in mornings():
        late = [case.at - desk.company.start for case in cases if case.at > desk.company.start]
        counts.add(len(late))
        assert late == sorted(late)
        assert late[0] >= 25 * MINUTE
        assert late[-1] <= 150 * MINUTE < 3 * HOUR

    assert counts == {2, 3, 4}


def test_drawing_tickets_decides_no_priority_queue_or_deadline() -> None:
    for _, cases in mornings():
        for case in cases:
            decided = (case.queue, case.priority, case.document, case.relates, case.assignee, case.due)
            assert decided == (None,) * 6


def written(seed: int) -> tuple[Built, list[SupportCase]]:
    desk = built(seed)
    morning = desk.morning
    cases = morning.cases()
    morning.write(cases)
    return desk, cases


def test_a_ticket_is_in_the_queue_or_arrives_later_never_both() -> None:
    for seed in SEEDS:
        desk, cases = written(seed)
        for case in cases:
            is_late = case.at > desk.company.start
            assert len(rows_of(desk.company, "tickets", case)) == (not is_late)
            assert len(rows_of(desk.company, "arrivals", case)) == is_late


def test_a_ticket_at_the_start_is_new_in_intake_since_it_was_filed() -> None:
    for seed in SEEDS:
        desk, cases = written(seed)
        for case in cases:
            if case.at <= desk.company.start:
                [ticket] = rows_of(desk.company, "tickets", case)
                [placed] = rows_of(desk.company, "placements", case)
                [clock] = rows_of(desk.company, "answer_clocks", case)
                assert (ticket["status"], ticket["kind"], ticket["priority"]) == ("new", CASE, None)
                assert (placed["queue"], placed["placed_at"]) == ("intake", case.at)
                assert (clock["started_at"], clock["answered_at"]) == (case.at, None)


def test_ticketdesk_shows_the_tier_on_file_and_not_that_of_the_contract() -> None:
    for seed in SEEDS:
        desk, cases = written(seed)
        for case in cases:
            [shown] = [
                *rows_of(desk.company, "answer_clocks", case),
                *rows_of(desk.company, "arrivals", case),
            ]
            assert shown["tier"] == case.account["fields"]["tier"]


def test_a_later_ticket_arrives_in_intake_with_its_words_and_its_customer() -> None:
    for seed in SEEDS:
        desk, cases = written(seed)
        for case in cases:
            for row in rows_of(desk.company, "arrivals", case):
                assert (row["at"], row["queue"]) == (case.at, "intake")
                assert (row["title"], row["description"]) == (case.title, case.text)
                assert row["subject"] == case.account["id"]


def test_one_contact_writes_all_tickets_of_a_customer() -> None:
    for seed in SEEDS:
        desk, cases = written(seed)
        writers: dict[str, set[str]] = {}
        for case in cases:
            [row] = [*rows_of(desk.company, "tickets", case), *rows_of(desk.company, "arrivals", case)]
            writers.setdefault(case.account["id"], set()).add(row["reporter"])

        assert all(len(found) == 1 for found in writers.values())
        assert len(set().union(*writers.values())) == len(writers)


def test_a_contact_belongs_to_their_company() -> None:
    desk = built()
    account, _ = desk.customers.next(None, renewed=False)

    contact = contact_of(desk.company, account)

    assert contact.team == account["name"]


@pytest.mark.parametrize("topic", QUESTIONS, ids=lambda topic: topic.id)
def test_every_topic_comes_as_a_question(topic: object) -> None:
    assert any(case.topic is topic for _, cases in mornings() for case in of_sort(cases, "question"))
