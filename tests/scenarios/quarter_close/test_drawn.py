"""Drawn closes: what the two of a pair differ in, what misleads, and what every line comes to."""

from math import fsum

import pytest

from companyos.sdk.documents import read_any
from companyos.sdk.simtime import DAY
from scenarios.quarter_close import texts
from scenarios.quarter_close.books import LINES, TTL_S
from scenarios.quarter_close.plan import ANSWERED, MEMO, OLD_MEMO, SILENT, TICKETED

from .closes import PAIRS, Written, pairs_of, written

EVERY = [written(seed + other) for seed in PAIRS for other in (0, 1)]
FIRST = EVERY[::2]


def changed_columns(one: Written, other: Written) -> dict[str, list[set[str]]]:
    """Return the columns in which rows of two closes differ, by table."""
    found: dict[str, list[set[str]]] = {}
    for service, tables in one.company.rows.items():
        for table, rows in tables.items():
            for mine, its in zip(rows, other.company.rows[service][table], strict=True):
                if mine != its:
                    found.setdefault(table, []).append({name for name in mine if mine[name] != its[name]})
    return found


def read_memo(close: Written, office: str, status: str = "in_force") -> dict[str, float]:
    """Return what an officer's memo about the entity explains, by metric; without a memo, nothing."""
    books, author = close.facts.books, close.cast.offices[office].id
    wanted = (f"Differences of {books.entity['name']}, {books.period['name']}", author, status)
    for one in close.rows("documents"):
        if (one["title"], one["author"], one["status"]) == wanted:
            return {line["metric_id"]: line["amount"] for line in texts.MEMO.read(one["body"])["lines"]}
    return {}


def read_amount(body: str) -> float:
    """Return the amount that an answer or a mail explains."""
    fields = read_any((*texts.EXPLANATIONS, *texts.CLAIM), body)
    return float(fields["amount"]) if fields else 0.0


def parts(close: Written, *outcomes: str, part: str) -> dict[str, float]:
    """Return a part of the variances with these outcomes, by metric."""
    lines = [line for line in close.facts.variances if line.outcome in outcomes]
    return {line.id: getattr(line, part) for line in lines}


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
        assert (one.facts.is_feasible == other.facts.is_feasible) is (kind in ("edge", "answer"))
        beyond, of_other = ({line.id for line in close.facts.beyond} for close in (one, other))
        assert len(beyond ^ of_other) == (kind == "answer")
        orders = [[figure.id for figure in close.facts.needed] for close in (one, other)]
        assert (orders[0] != orders[1]) is (kind == "edge")


def test_a_reader_finds_in_the_manual_what_was_drawn_and_other_tolerances_in_other_editions() -> None:
    for close in FIRST:
        rows = [one for one in close.rows("documents") if one["title"] == texts.MANUAL_TITLE]
        editions = {one["status"]: texts.MANUAL.read(one["body"]) for one in rows}
        before, here, draft = (editions[one] for one in ("superseded", "in_force", "draft"))
        assert here == close.facts.rules
        assert [one["note"] for one in (before, here, draft)] == [False, False, True]
        for one in ("major_balance", "major_result", "minor_balance", "minor_result"):
            assert draft[one] < here[one] < before[one]


def test_memos_answers_and_mails_say_what_the_variances_say_and_the_wrong_ones_what_misleads() -> None:
    asking, by_owner = set(), set()
    for close in FIRST:
        facts = close.facts
        everything = {line.id: line.claimed for line in facts.variances}
        misleading, kept = parts(close, OLD_MEMO, part="older"), parts(close, MEMO, part="memo")
        assert read_memo(close, "controller") == kept | parts(close, OLD_MEMO, part="memo")
        assert read_memo(close, "controller", "superseded") == (misleading | kept if misleading else {})
        assert read_memo(close, "finance_director") == parts(close, SILENT, ANSWERED, part="claimed")
        told = {one["about"]: one for one in close.rows("knowledge")}
        asking.add(len({one["person"] for one in told.values() if one["question"]}))
        for line in facts.books.lines:
            assert told[line.id]["person"] == line.owner.id
            assert read_amount(told[line.id]["body"]) == line.answer
        for mail in (one for one in close.rows("messages") if one["recipient"] == facts.me.id):
            assert close.company.start - mail["sent_at"] >= 2 * DAY
            assert read_amount(mail["body"]) == everything[mail["about"]]
            by_owner.add(mail["sender"] == told[mail["about"]]["person"])
    assert (asking, by_owner) == ({0, 1}, {True, False})


def test_remainders_exceed_the_tolerance_exactly_if_a_ticket_is_due_and_other_editions_judge_otherwise() -> (
    None
):
    judged = set()
    for close in EVERY:
        rules, size = close.facts.rules, close.facts.books.entity["fields"]["size_class"]
        for line in close.facts.books.lines:
            allowed = rules[f"{size}_{LINES[line.name]}"] / 100 * abs(line.reference)
            variance = abs(line.final - line.reference)
            times = variance / allowed
            judged.add((times > 1, times > 1.8 if times > 1 else times > 0.6))
            assert (times > 1) == (line.outcome is not None)
            if line.outcome:
                assert (line.left > allowed) == (line.outcome in TICKETED)
                assert line.memo + line.answer + line.left == pytest.approx(variance, abs=0.011)
                assert line.outcome != OLD_MEMO or variance - line.older < allowed
    assert len(judged) == 4


def test_only_outdated_figures_are_old_and_a_line_is_right_after_its_sources_and_not_before_them() -> None:
    looks_fresh = 0
    for close in EVERY:
        figures = {one.id: one for one in close.facts.books.figures}
        needed = [one.id for one in close.facts.needed]
        looks_fresh += sum(figures[one].age_s < TTL_S for one in needed)
        assert all(one.age_s < TTL_S or one.id in needed for one in figures.values())
        for line in close.facts.books.lines:
            source = close.company.source(line.id)
            finals = {one: share * figures[one].final for one, share in source["weights"].items()}
            assert round(fsum([source["values"][0], *finals.values()]), 2) == line.final
            for one in finals.keys() & {*needed}:
                early = finals | {one: source["weights"][one] * figures[one].shown}
                assert round(fsum([source["values"][0], *early.values()]), 2) != line.final
                assert needed.index(one) < needed.index(line.id)
    assert looks_fresh > 5
