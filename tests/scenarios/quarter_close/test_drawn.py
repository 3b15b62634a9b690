"""Drawn closes: what the two of a pair differ in, what misleads, and what every line comes to."""

from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.documents import read_any
from companyos.sdk.simtime import DAY
from scenarios.quarter_close import texts
from scenarios.quarter_close.books import TTL_S
from scenarios.quarter_close.plan import ANSWERED, MEMO, OLD_MEMO, PART, SILENT, TICKETED, in_order

from .closes import PAIRS, Written, pairs_of, written

EVERY = [written(seed + other) for seed in PAIRS for other in (0, 1)]
FIRST = EVERY[::2]
NAMES = ("ada", "bea", "cox", "dee", "eve", "fay")


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


def parts(close: Written, *kinds: str, part: str) -> dict[str, float]:
    """Return a part of the variances of some kinds, by metric."""
    variances = close.facts.variances.items()
    return {close.facts.metric(name): getattr(one, part) for name, one in variances if one.kind in kinds}


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
        assert len(one.facts.beyond ^ other.facts.beyond) == (kind == "answer")
        assert (one.facts.needed != other.facts.needed) is (kind == "edge")


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
        everything = parts(close, MEMO, ANSWERED, SILENT, PART, OLD_MEMO, part="claimed")
        misleading, kept = parts(close, OLD_MEMO, part="older"), parts(close, MEMO, part="memo")
        assert read_memo(close, "controller") == kept | parts(close, OLD_MEMO, part="memo")
        assert read_memo(close, "controller", "superseded") == (misleading | kept if misleading else {})
        assert read_memo(close, "finance_director") == parts(close, SILENT, ANSWERED, part="claimed")
        told = {one["about"]: one for one in close.rows("knowledge")}
        asking.add(len({one["person"] for one in told.values() if one["question"]}))
        for line in facts.lines:
            answer, variance = told[facts.metric(line.name)], facts.variances.get(line.name)
            assert answer["person"] == facts.books.owners[line.name].id
            assert read_amount(answer["body"]) == (variance.answer if variance else 0.0)
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
        for line in close.facts.lines:
            allowed = rules[f"{size}_{line.category}"] / 100 * abs(line.reference)
            times, one = abs(line.variance) / allowed, close.facts.variances.get(line.name)
            judged.add((times > 1, times > 1.8 if times > 1 else times > 0.6))
            assert (times > 1) == (one is not None)
            if one:
                assert (one.left > allowed) == (one.kind in TICKETED)
                assert one.memo + one.answer + one.left == pytest.approx(abs(line.variance), abs=0.011)
                assert one.kind != OLD_MEMO or abs(line.variance) - one.older < allowed
    assert len(judged) == 4


def test_only_outdated_figures_are_old_and_a_line_is_right_after_its_sources_and_not_before_them() -> None:
    looks_fresh = 0
    for close in EVERY:
        facts = close.facts
        by_id = {facts.metric(one.name): one for one in facts.figures}
        looks_fresh += sum(by_id[facts.metric(one)].age_s < TTL_S for one in facts.needed)
        assert all(one.age_s < TTL_S or one.name in facts.needed for one in facts.figures)
        for line in facts.lines:
            source = close.company.source(facts.metric(line.name))
            finals = {one: share * by_id[one].final for one, share in source["weights"].items()}
            assert round(fsum([source["values"][0], *finals.values()]), 2) == line.final
            for one in finals.keys() & {*map(facts.metric, facts.needed)}:
                early = finals | {one: source["weights"][one] * by_id[one].shown}
                assert round(fsum([source["values"][0], *early.values()]), 2) != line.final
    assert looks_fresh > 5


@st.composite
def lineages(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    """Draw a lineage without circles: each name may be computed from names before it."""
    return {
        name: tuple(draw(st.lists(st.sampled_from(NAMES[:at]), unique=True, max_size=3))) if at else ()
        for at, name in enumerate(NAMES)
    }


def ancestors(name: str, sources: dict[str, tuple[str, ...]]) -> set[str]:
    return set(sources[name]).union(*(ancestors(one, sources) for one in sources[name]))


@given(lineages(), st.sets(st.sampled_from(NAMES)))
def test_each_needed_name_comes_after_all_needed_ones_that_it_is_computed_from_however_indirectly(
    sources: dict[str, tuple[str, ...]], needed: set[str]
) -> None:
    order = in_order(needed, sources)

    assert sorted(order) == sorted(needed)
    for at, name in enumerate(order):
        assert ancestors(name, sources) & needed <= {*order[:at]}
