"""Interventions: which are drawn, for which tickets, and the intentions that carry them out."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from companyos.company import Row
from companyos.sdk.simtime import HOUR, MINUTE
from scenarios.support_triage.cases import CHANGED, NUDGED, TAKEN, WITHDRAWN, SupportCase
from scenarios.support_triage.interventions import Interventions
from scenarios.support_triage.pack import ROLE, TEAM
from scenarios.support_triage.reading import is_withdrawal, thing_of
from scenarios.support_triage.world import REFRESH_S

from .mornings import SEEDS, Built, built


def mornings() -> Iterator[tuple[Built, list[SupportCase]]]:
    for seed in SEEDS:
        desk = built(seed)
        yield desk, Interventions(desk.company, desk.rules).drawn(desk.morning.cases())


def written(desk: Built, cases: list[SupportCase]) -> list[Row]:
    """Return the intentions of a morning."""
    colleague, contacts = desk.cast.author, desk.morning.write(cases)
    for case in cases:
        Interventions(desk.company, desk.rules).write(case, contacts[case.ticket_id], colleague)
    return desk.company.rows["ticketdesk"]["intentions"]


def test_every_kind_of_intervention_occurs_and_a_morning_has_one_to_four() -> None:
    kinds: Counter[str] = Counter()
    for _, cases in mornings():
        interventions = [case.intervention.kind for case in cases if case.intervention]
        kinds.update(interventions)

        assert 1 <= len(interventions) <= 4
        assert interventions.count(TAKEN) <= 2

    assert set(kinds) == {TAKEN, CHANGED, WITHDRAWN, NUDGED}
    assert kinds[CHANGED] > kinds[NUDGED]


def test_only_questions_and_open_defects_that_no_other_ticket_resembles_have_an_intervention() -> None:
    for _, cases in mornings():
        for case in cases:
            if case.intervention is not None:
                others = [one.topic for one in cases if one is not case]
                assert case.topic not in others
                assert case.sort == "question" or (case.sort == "defect" and case.has(TAKEN))


def test_every_intervention_comes_after_its_ticket_and_before_intake_closes() -> None:
    for desk, cases in mornings():
        for case in cases:
            if case.intervention is not None:
                assert case.intervention.at > max(case.at, desk.company.start)
                assert case.intervention.at < desk.company.start + 3 * HOUR + 30 * MINUTE


def test_in_most_mornings_a_customer_writes_again_only_after_the_first_answer_is_due() -> None:
    late = 0
    for desk, cases in mornings():
        questions = [case for case in cases if case.sort == "question" and case.intervention]
        due = [replace(case, due=case.at + desk.rules.answer_s(case.tier, "minor")) for case in questions]
        late += any(case.is_due_first for case in due)

    assert late > 0.6 * len(SEEDS)


def test_a_ticket_in_the_queue_is_taken_before_the_error_rates_can_be_read() -> None:
    early = late = 0
    for desk, cases in mornings():
        for case in cases:
            if case.intervention is not None and case.has(TAKEN):
                is_early = case.at <= desk.company.start
                early, late = early + is_early, late + (not is_early)
                assert not is_early or case.intervention.at < desk.company.start + REFRESH_S

    assert early
    assert late


def test_every_morning_in_which_somebody_writes_again_has_something_that_changes() -> None:
    for _, cases in mornings():
        again = [case for case in cases if case.intervention is not None and not case.has(TAKEN)]

        assert not again or any(case.has(CHANGED) or case.has(WITHDRAWN) for case in again)


def test_changed_requests_concern_another_topic() -> None:
    for _, cases in mornings():
        for case in cases:
            if case.intervention is not None and case.has(CHANGED):
                assert case.intervention.topic not in (None, case.topic)
                assert case.intervention.topic is not None
                assert case.intervention.thing.startswith(f"{case.intervention.topic.prefix}-")


def test_a_customer_writes_in_words_that_can_be_understood() -> None:
    for desk, cases in mornings():
        texts = {row["ticket_id"]: row["text"] for row in written(desk, cases) if row["act"] == "write"}
        for case in cases:
            if case.intervention is None or case.has(TAKEN):
                continue
            ticket, text = {"title": case.title, "description": case.text}, texts[case.ticket_id]
            about = thing_of(ticket, [text])

            assert about is not None
            assert about[1] == (case.intervention.thing or case.thing)
            assert is_withdrawal(text) == case.has(WITHDRAWN)


def test_a_customer_writes_in_their_own_name_and_a_colleague_takes_and_answers() -> None:
    for desk, cases in mornings():
        rows = written(desk, cases)
        contacts = {
            row["id"]: row["reporter"]
            for table in ("tickets", "arrivals")
            for row in desk.company.rows["ticketdesk"][table]
        }
        acts: dict[str, list[str]] = {}
        for row in rows:
            acts.setdefault(row["ticket_id"], []).append(row["act"])
            by = contacts[row["ticket_id"]] if row["act"] == "write" else desk.cast.author.id
            assert row["person"] == by

        for case in cases:
            expected = (
                [] if case.intervention is None else ["take", "answer"] if case.has(TAKEN) else ["write"]
            )
            assert acts.get(case.ticket_id, []) == expected


def test_the_desk_is_worked_by_support_agents_of_the_support_team() -> None:
    assert (ROLE, TEAM) == ("support_agent", "Support")
