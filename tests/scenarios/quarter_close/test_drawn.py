"""Drawn closes: what the two of a pair differ in, what misleads, and what every line comes to."""

from collections import Counter
from math import fsum

import pytest

from companyos.company import Company, Row
from companyos.sdk.documents import read_any
from companyos.sdk.simtime import DAY
from scenarios.quarter_close import texts
from scenarios.quarter_close.books import TTL_S, Feed, Line
from scenarios.quarter_close.facts import LIMITS
from scenarios.quarter_close.plan import ANSWERED, MEMO, NEVER, OLD_MEMO, PART, SILENT, TICKETED

from .closes import PAIRS, Written, changed_columns, pairs_of, written

EVERY = [written(seed + other) for seed in PAIRS for other in (0, 1)]
FIRST = EVERY[::2]


def memo_of(close: Written, office: str, status: str = "in_force") -> Row | None:
    """Return the memo of an officer about the differences of the entity that is closed."""
    books, author = close.facts.books, close.cast.offices[office].id
    wanted = (f"Differences of {books.entity['name']}, {books.period['name']}", author, status)
    documents = close.rows("documents")
    return next((one for one in documents if (one["title"], one["author"], one["status"]) == wanted), None)


def read_memo(memo: Row | None) -> dict[str, float]:
    """Return what a memo explains, by metric; without a memo, nothing."""
    return {one["metric_id"]: one["amount"] for one in texts.MEMO.read(memo["body"])["lines"]} if memo else {}


def read_amount(body: str) -> float:
    """Return the amount that an answer or a mail explains."""
    fields = read_any((*texts.EXPLANATIONS, *texts.CLAIM), body)
    return float(fields["amount"]) if fields else 0.0


def claims(close: Written) -> list[Row]:
    return [one for one in close.rows("messages") if one["recipient"] == close.facts.me.id]


def figures(close: Written) -> list[Line | Feed]:
    return [*close.facts.lines, *close.facts.feeds]


def parts(close: Written, *kinds: str, part: str) -> dict[str, float]:
    """Return a part of the variances of some kinds, by metric."""
    variances = close.facts.variances.items()
    return {close.facts.metric(name): getattr(one, part) for name, one in variances if one.kind in kinds}


def unexplained_by_memos(close: Written, *kinds: str) -> dict[str, float]:
    """Return what no memo explains of the variances of some kinds, by metric."""
    left, told = (parts(close, *kinds, part=part) for part in ("left", "answer"))
    return {one: round(left[one] + told[one], 2) for one in left}


def variance_tickets(close: Written, *, are_open: bool) -> list[str]:
    """Return the metrics with an open ticket, or with a closed one."""
    tickets = [one for one in close.rows("tickets", "ticketdesk") if one["kind"] == "variance"]
    return [one["subject"] for one in tickets if (one["status"] != "closed") == are_open]


def test_half_of_the_pairs_are_about_an_edge_and_the_others_about_three_more_causes() -> None:
    kinds = Counter(close.kind for close in FIRST)

    assert {*kinds} == {"edge", "answer", "source", "prior"}
    assert len(PAIRS) / 3 < kinds["edge"] < len(PAIRS) * 2 / 3


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("edge", {"metrics": [{"upstream"}] * 2}),
        ("answer", {"knowledge": [{"body"}]}),
        ("source", {"sources": [{"failures"}]}),
        ("prior", {"periods": [{"status"}]}),
    ],
)
def test_the_closes_of_a_pair_differ_in_one_thing_alone(
    kind: str, columns: dict[str, list[set[str]]]
) -> None:
    for one, other in pairs_of(kind):
        changed = changed_columns(one, other)
        weights = changed.pop("sources") if kind == "edge" else []
        assert changed == columns
        assert all(each <= {"weights", "values"} for each in weights)
        assert len({one.facts.is_feasible, other.facts.is_feasible}) == (
            2 if kind in ("source", "prior") else 1
        )


def test_a_reversed_edge_reverses_the_order_of_its_two_lines() -> None:
    for one, other in pairs_of("edge"):
        first, second = one.facts.cause.removeprefix("edge:").split(" before ")
        assert one.facts.needed.index(first) < one.facts.needed.index(second)
        assert other.facts.needed.index(second) < other.facts.needed.index(first)
        assert {*one.facts.needed} == {*other.facts.needed}


def test_an_answer_decides_about_one_ticket_and_nothing_else_reveals_it() -> None:
    for one, other in pairs_of("answer"):
        [line] = one.facts.beyond ^ other.facts.beyond
        assert {close.facts.variances[line].kind for close in (one, other)} == {SILENT, ANSWERED}


def test_a_source_of_a_pair_recovers_just_in_time_or_never() -> None:
    for one, other in pairs_of("source"):
        up, down = sorted((one, other), key=lambda close: close.facts.down is not None)
        assert down.facts.failures == {down.facts.down: NEVER}
        assert [*up.facts.failures.values()] == [up.facts.rules.runs - 1]
    others = {tuple(close.facts.failures.values()) for close in EVERY if close.kind != "source"}
    assert others == {(), (1,)}


def test_a_colleague_has_filed_at_most_one_ticket_which_no_answer_decides_about() -> None:
    for close in EVERY:
        facts = close.facts
        assert {facts.variances[name].kind for name in facts.filed} <= {PART, OLD_MEMO}
        assert variance_tickets(close, are_open=True) == [facts.metric(name) for name in facts.filed]
        settled = {*variance_tickets(close, are_open=False)}
        assert len(settled) == 2
        assert settled <= facts.finals.keys()
    assert {len(close.facts.filed) for close in EVERY} == {0, 1}


def test_every_outcome_priority_and_approver_is_drawn() -> None:
    approvers = set()
    for close in EVERY:
        controller, limits = close.cast.offices["controller"], close.rows("approval_types", "approvalflow")
        limit = next(one["routes"][0]["below"] for one in limits if one["id"] == "close_approval")
        large, away = close.facts.unexplained >= limit, close.company.on_duty(controller.id) != controller.id
        assert limit in LIMITS
        assert close.facts.approver == (close.cast.offices["cfo"].id if large else controller.id)
        approvers.add((large, away))

    outcomes = {one.kind for close in EVERY for one in close.facts.variances.values()}
    assert outcomes == {MEMO, ANSWERED, SILENT, PART, OLD_MEMO}
    assert {one for close in EVERY for one in close.facts.wanted.values()} == {"high", "medium"}
    assert approvers == {(False, False), (False, True), (True, False), (True, True)}


def test_the_look_alike_entity_has_the_same_quarter_open_and_a_memo_of_its_own() -> None:
    for close in FIRST:
        own, metrics = close.facts.books.period, {*close.facts.finals}
        same = [one for one in close.rows("periods") if one["name"] == own["name"]]
        [other] = [one for one in same if one["id"] != own["id"]]
        assert other["status"] == "open"
        assert {one["period_id"] for one in close.rows("period_lines")} == {own["id"], other["id"]}
        memos = [one for one in close.rows("documents") if one["title"].startswith("Differences of ")]
        [memo] = [one for one in memos if own["entity"] not in one["links"]]
        assert memo["title"].split()[2] == close.facts.books.entity["name"].split()[0]
        assert len(read_memo(memo)) == 2
        assert not metrics & {*read_memo(memo)}


def test_the_edition_before_tolerates_more_and_the_draft_less() -> None:
    for close in FIRST:
        editions = {
            one["status"]: one for one in close.rows("documents") if one["title"] == texts.MANUAL_TITLE
        }
        before, now, draft = (
            texts.MANUAL.read(editions[one]["body"]) for one in ("superseded", "in_force", "draft")
        )
        assert [one["note"] for one in (before, now, draft)] == [False, False, True]
        for size in ("major", "minor"):
            assert now[f"{size}_balance"] < now[f"{size}_result"]
        for one in ("major_balance", "major_result", "minor_balance", "minor_result"):
            assert before[one] == pytest.approx(1.8 * now[one], abs=0.006)
            assert draft[one] == pytest.approx(0.6 * now[one], abs=0.006)


def test_memos_explain_what_the_variances_say_and_the_wrong_ones_what_misleads() -> None:
    for close in FIRST:
        memo, older = memo_of(close, "controller"), memo_of(close, "controller", "superseded")
        misleading = parts(close, OLD_MEMO, part="older")
        assert read_memo(memo) == parts(close, MEMO, OLD_MEMO, part="memo")
        assert read_memo(older) == (misleading | parts(close, MEMO, part="memo") if misleading else {})
        assert not (memo and older) or memo["supersedes"] == older["id"]
        assert read_memo(memo_of(close, "finance_director")) == unexplained_by_memos(close, SILENT, ANSWERED)


def test_owners_know_what_the_variance_says_and_at_most_one_asks_for_the_period_first() -> None:
    asking = Counter[int]()
    for close in FIRST:
        answers, facts = {one["about"]: one for one in close.rows("knowledge")}, close.facts
        asking[len(curious := {one["person"] for one in answers.values() if one["question"]})] += 1
        for line in facts.lines:
            told, variance = answers[facts.metric(line.name)], facts.variances.get(line.name)
            asked = (texts.WHICH, facts.books.period["id"]) if told["person"] in curious else (None, None)
            assert told["person"] == facts.books.owners[line.name].id
            assert read_amount(told["body"]) == (variance.answer if variance else 0.0)
            assert (told["question"], told["needs"]) == asked
    assert asking.keys() == {0, 1}


def test_mails_from_owners_and_others_claim_to_explain_everything_before_the_figures_are_taken() -> None:
    by_owner = set()
    for close in FIRST:
        everything = unexplained_by_memos(close, MEMO, ANSWERED, SILENT, PART, OLD_MEMO)
        owners = {close.facts.metric(name): one.id for name, one in close.facts.books.owners.items()}
        for mail in claims(close):
            assert close.company.start - mail["sent_at"] >= 2 * DAY
            assert read_amount(mail["body"]) == everything[mail["about"]]
            by_owner.add(mail["sender"] == owners[mail["about"]])
    assert by_owner == {True, False}


def test_remainders_exceed_the_tolerance_exactly_if_a_ticket_is_due() -> None:
    for close in EVERY:
        [manual] = [one for one in close.rows("documents") if one["id"] == close.facts.manual["id"]]
        rules, size = texts.MANUAL.read(manual["body"]), close.facts.books.entity["fields"]["size_class"]
        for line in close.facts.lines:
            allowed = rules[f"{size}_{line.category}"] / 100 * abs(line.reference)
            one = close.facts.variances.get(line.name)
            assert (abs(line.variance) > allowed) == (one is not None)
            if one:
                assert (one.left > allowed) == (one.kind in TICKETED)
                assert one.memo + one.answer + one.left == pytest.approx(abs(line.variance), abs=0.011)
                assert one.kind != OLD_MEMO or abs(line.variance) - one.older < allowed


def test_the_other_editions_would_judge_some_variances_differently() -> None:
    judged = set()
    for close in EVERY:
        by, size = (
            texts.MANUAL.read(close.facts.manual["body"]),
            close.facts.books.entity["fields"]["size_class"],
        )
        for line in close.facts.lines:
            times = 100 * abs(line.variance / line.reference) / by[f"{size}_{line.category}"]
            judged.add((times > 1, times > 1.8 if times > 1 else times > 0.6))

    assert judged == {(True, True), (True, False), (False, True), (False, False)}


def recomputed(company: Company, metric_id: str, above: dict[str, float]) -> float:
    """Return what a refresh of a metric comes to if its sources have these values."""
    source = company.source(metric_id)
    shares = (share * above[one] for one, share in source["weights"].items())
    return round(fsum([source["values"][0], *shares]), 2)


def test_a_line_comes_to_its_final_value_after_its_sources_and_to_another_before_them() -> None:
    for close in EVERY:
        facts = close.facts
        entries = {facts.metric(one.name): one for one in figures(close)}
        finals = {metric_id: one.final for metric_id, one in entries.items()}
        for line in facts.lines:
            metric_id = facts.metric(line.name)
            assert recomputed(close.company, metric_id, finals) == line.final
            for name in {*facts.parents[line.name]} & {*facts.needed}:
                early = {**finals, facts.metric(name): entries[facts.metric(name)].shown}
                assert recomputed(close.company, metric_id, early) != line.final


def test_only_what_has_to_be_refreshed_is_old_or_wrong_and_some_of_it_looks_fresh() -> None:
    looks_fresh = 0
    for close in EVERY:
        facts = close.facts
        for one in figures(close):
            assert (one.shown != one.final) == (one.name in facts.needed)
            assert one.age_s < TTL_S or one.name in facts.needed
            if one.name in facts.needed and one.age_s < TTL_S:
                assert {*facts.parents[one.name]} & {*facts.needed}
                looks_fresh += 1
    assert looks_fresh > 10
