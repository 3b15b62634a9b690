"""The tickets of a morning, and what others do about them: which occur, when, and how look-alikes differ."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from companyos.company import Company, Row
from companyos.sdk.simtime import HOUR, MINUTE
from scenarios.support_triage.cases import CHANGED, NUDGED, TAKEN, WITHDRAWN, SupportCase
from scenarios.support_triage.content import CHATTER, QUESTIONS, SHOUTS, VAGUE
from scenarios.support_triage.interventions import Interventions
from scenarios.support_triage.pack import CASE
from scenarios.support_triage.reading import is_withdrawal, thing_of
from scenarios.support_triage.world import REFRESH_S

from .mornings import SEEDS, Built, built


def mornings() -> Iterator[tuple[Built, list[SupportCase]]]:
    """Yield desks with the tickets of their morning and what others do about them."""
    for seed in SEEDS:
        desk = built(seed)
        yield desk, Interventions(desk.company, desk.rules).drawn(desk.morning.cases())


def of_sort(cases: list[SupportCase], *sorts: str) -> list[SupportCase]:
    return [case for case in cases if case.sort in sorts]


def stripped(text: str) -> str:
    """Return a text without what customers shout and chat."""
    for noise in (*SHOUTS, *CHATTER):
        text = text.replace(noise, "")
    return " ".join(text.split())


def rows_of(company: Company, table: str, case: SupportCase) -> list[Row]:
    return [dict(row) for row in company.rows["ticketdesk"][table] if row["id"] == case.ticket_id]


def test_a_morning_has_a_failure_of_each_service_questions_defects_and_perhaps_a_vague_ticket() -> None:
    questions, vague, sorts, topics = set(), set(), set(), set()
    for desk, cases in mornings():
        asked = [case.topic for case in of_sort(cases, "question")]
        questions.add(len(asked))
        vague.add(len(of_sort(cases, "vague")))
        topics |= {topic.id for topic in asked if topic}
        failing = sorted(case.account["fields"]["served_by"] for case in of_sort(cases, "failure"))
        assert failing == sorted(desk.services.both)
        assert len({*asked}) == len(asked) - 1
        for case in of_sort(cases, "fixed", "defect"):
            assert case.topic is not None
            assert (case.sort == "fixed") == (case.topic.id == desk.services.fixed_defect)
            sorts.add(case.sort)
    assert (questions, vague, sorts) == ({4, 5}, {0, 1}, {"fixed", "defect"})
    assert topics == {topic.id for topic in QUESTIONS}


def test_a_ticket_names_its_subject_unless_it_is_vague_and_no_two_name_the_same() -> None:
    for _, cases in mornings():
        things = [case.thing for case in cases if case.sort not in ("duplicate", "vague")]
        assert len(things) == len({*things})
        assert len({case.ticket_id for case in cases}) == len(cases)
        for case in cases:
            found = thing_of({"title": case.title, "description": case.text})
            assert (found[1] if found else "") == case.thing
            assert (case.sort == "vague") == ((case.title, case.text) in VAGUE) == (not case.thing)


def test_one_customer_has_another_tier_than_on_file_and_one_question_shouts() -> None:
    for _, cases in mornings():
        renewed = {case.account["id"] for case in cases if case.tier != case.account["fields"]["tier"]}
        [loud] = [case for case in cases if "URGENT" in case.title]
        assert len(renewed) == 1
        assert loud.sort == "question"


def test_a_duplicate_repeats_the_customer_and_the_subject_of_the_first_ticket_later() -> None:
    reworded = 0
    for desk, cases in mornings():
        [again] = of_sort(cases, "duplicate")
        [first] = [case for case in cases if case.ticket_id == again.into]
        reworded += stripped(again.text) != stripped(first.text)
        assert (again.thing, again.account, again.topic) == (first.thing, first.account, first.topic)
        assert first.sort in ("failure", "question")
        assert first.at < desk.company.start < again.at
    assert reworded >= len(SEEDS) / 4


def look_alikes() -> Iterator[tuple[SupportCase, SupportCase]]:
    """Yield each look-alike, the last question to come, with the question that it resembles."""
    for desk, cases in mornings():
        topics = [case.topic for case in of_sort(cases, "question")]
        alike = [case for case in of_sort(cases, "question") if topics.count(case.topic) == 2]
        start = desk.company.start
        [model, twin] = sorted(alike, key=lambda case: case.at > start)
        yield model, twin


def test_a_look_alike_is_in_the_same_words_about_another_thing_of_the_same_customer_or_another(
    draw_alike: Callable[[str], None],
) -> None:
    same = set()
    for model, twin in look_alikes():
        same.add(twin.account["id"] == model.account["id"])
        assert twin.thing != model.thing
        assert stripped(twin.text) == stripped(model.text).replace(model.thing, twin.thing)
        assert twin.into is None
    draw_alike("thing")
    assert same == {True, False}
    assert all(twin.thing != model.thing for model, twin in look_alikes())


def test_two_to_four_tickets_arrive_later_and_each_is_shown_with_the_tier_on_file() -> None:
    counts = set()
    for desk, cases in mornings():
        desk.morning.write(cases)
        late = [case for case in cases if case.at > desk.company.start]
        counts.add(len(late))
        assert all(25 * MINUTE <= case.at - desk.company.start <= 150 * MINUTE for case in late)
        for case in cases:
            tickets, arrivals, clocks = (
                rows_of(desk.company, table, case) for table in ("tickets", "arrivals", "answer_clocks")
            )
            [row], [shown] = [*tickets, *arrivals], [*clocks, *arrivals]
            assert bool(arrivals) == (case in late)
            assert shown["tier"] == case.account["fields"]["tier"]
            assert (row["subject"], row["kind"], row["title"]) == (case.account["id"], CASE, case.title)
            if tickets:
                [placed] = rows_of(desk.company, "placements", case)
                assert (row["status"], row["priority"], placed["queue"]) == ("new", None, "intake")
    assert counts == {2, 3, 4}


def test_one_to_four_interventions_of_every_kind_come_after_their_ticket_and_in_time() -> None:
    kinds: Counter[str] = Counter()
    for desk, cases in mornings():
        moved = [(case, case.intervention) for case in cases if case.intervention]
        kinds.update(intervention.kind for _, intervention in moved)
        assert 1 <= len(moved) <= 4
        for case, intervention in moved:
            assert (
                max(case.at, desk.company.start)
                < intervention.at
                < desk.company.start + 3 * HOUR + 30 * MINUTE
            )
            assert case.topic not in [one.topic for one in cases if one is not case]
            assert case.sort == "question" or (case.sort == "defect" and case.has(TAKEN))
            if case.has(CHANGED):
                assert intervention.topic not in (None, case.topic)
            if case.has(TAKEN) and case.at <= desk.company.start:
                assert intervention.at < desk.company.start + REFRESH_S
        again = [case for case, _ in moved if not case.has(TAKEN)]
        assert not again or any(case.has(CHANGED) or case.has(WITHDRAWN) for case in again)
    assert {*kinds} == {TAKEN, CHANGED, WITHDRAWN, NUDGED}
    assert kinds[CHANGED] > kinds[NUDGED]


def test_in_most_mornings_a_customer_writes_again_only_after_the_first_answer_is_due() -> None:
    late = 0
    for desk, cases in mornings():
        questions = [case for case in of_sort(cases, "question") if case.intervention]
        due = [replace(case, due=case.at + desk.rules.answer_s(case.tier, "minor")) for case in questions]
        late += any(case.is_due_first for case in due)
    assert late > 0.6 * len(SEEDS)


def test_a_customer_writes_in_their_own_name_and_words_and_a_colleague_takes_and_answers() -> None:
    for desk, cases in mornings():
        colleague, contacts = desk.cast.author, desk.morning.write(cases)
        for case in cases:
            Interventions(desk.company, desk.rules).write(case, contacts[case.ticket_id], colleague)
        intentions = desk.company.rows["ticketdesk"]["intentions"]
        for case in cases:
            acts = [row for row in intentions if row["ticket_id"] == case.ticket_id]
            kinds = [] if case.intervention is None else ["take", "answer"] if case.has(TAKEN) else ["write"]
            assert [row["act"] for row in acts] == kinds
            for row in acts:
                is_customer = row["act"] == "write"
                assert row["person"] == (contacts[case.ticket_id] if is_customer else colleague).id
            if case.intervention and kinds == ["write"]:
                ticket = {"title": case.title, "description": case.text}
                about = thing_of(ticket, [acts[0]["text"]])
                assert about is not None
                assert about[1] == (case.intervention.thing or case.thing)
                assert is_withdrawal(acts[0]["text"]) == case.has(WITHDRAWN)
