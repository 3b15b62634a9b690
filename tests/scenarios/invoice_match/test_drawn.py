"""Drawn piles: their sizes and outcomes, what pairs differ in, and what tells the rules of the instance."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from companyos.scenario import Instance
from companyos.sdk.simtime import DAY
from scenarios.invoice_match.cases import GROUPS
from scenarios.invoice_match.reading import booked_by
from scenarios.invoice_match.scenario import Facts
from scenarios.invoice_match.terms import Version, draw_terms

from ..conftest import instance_of
from .drawn_piles import SCENARIO, ends_of, handbook, pile, table
from .piles import EXCESS, SPARING, pile_of


@cache
def drawn_instances() -> list[Instance[Facts]]:
    return [instance_of(SCENARIO, seed) for seed in range(60)]


def pairs() -> Iterator[tuple[Instance[Facts], Instance[Facts]]]:
    yield from zip(drawn_instances()[::2], drawn_instances()[1::2], strict=True)


def test_a_pile_holds_twenty_to_twenty_four_invoices_of_several_ends() -> None:
    for instance in drawn_instances():
        assert 20 <= len(ends_of(instance)) <= 24
        assert len({end.partition(":")[0] for end in ends_of(instance).values()}) >= 2
        kinds = {row["kind"] for row, _ in pile(instance)}
        assert kinds == {"invoice", "credit_note"}
    every = {":".join(end.split(":")[:2]) for one in drawn_instances() for end in ends_of(one).values()}
    assert {end for end in every if not end.startswith("pay")} == {
        "hold:goods_missing",
        "hold:bank_unconfirmed",
        "hold:already_paid",
        "return:duplicate",
        "return:no_order",
        "return:order_closed",
        "return:wrong_currency",
        "claim:price_difference",
        "claim:short_delivery",
    }


def test_about_one_task_in_eight_is_refused_by_the_newest_notice_of_the_stop() -> None:
    refused = [instance for instance in drawn_instances() if not instance.feasible]

    assert len(drawn_instances()) / 16 <= len(refused) <= len(drawn_instances()) / 4
    for instance in drawn_instances():
        notices = [row for row in table(instance, "documents").values() if row["kind"] == "notice"]
        spoken = [row for row in notices if "payment stop" in row["body"] and row["department"] == "Finance"]
        newest = max(spoken, key=lambda row: int(row["written_at"]))
        assert len(spoken) == 2
        assert ("lasts" in newest["body"]) == (instance in refused)
        if instance.refusal:
            assert (instance.refusal.reason_codes, instance.refusal.evidence) == (
                ["payment_stop"],
                [newest["id"]],
            )


def test_a_pair_differs_in_what_is_still_booked_or_in_one_notice() -> None:
    for first, second in pairs():
        causes = {first.cause, second.cause}
        differ = {
            (service, name)
            for service, tables in first.rows.items()
            for name, rows in tables.items()
            for row, other in zip(rows, second.rows[service][name], strict=True)
            if row != other
        }
        is_count = causes == {"covers", "lacks"}
        assert causes in ({"covers", "lacks"}, {"over", "lasts"})
        assert first.brief == second.brief
        assert differ == {("datahub", "expected_receipts" if is_count else "documents")}
        assert (ends_of(first) != ends_of(second)) == is_count


def test_the_count_comes_after_the_answer_and_on_the_same_day() -> None:
    for instance in drawn_instances():
        [expected] = table(instance, "expected_receipts").values()
        known = instance.rows["datahub"]["knowledge"]
        [told] = [row for row in known if row["about"] == expected["order_id"]]
        promised = booked_by(told["body"], instance.start)
        assert promised is not None
        assert instance.start + told["delay_s"] < expected["at"] <= promised < instance.start + DAY / 2


def test_invoices_of_a_supplier_and_deliveries_have_numbers_of_their_own(
    draw_alike: Callable[[str], None],
) -> None:
    draw_alike("number")
    instance = instance_of(SCENARIO, 0)
    rows, receipts = table(instance, "invoices").values(), table(instance, "goods_receipts").values()

    notes = {(row["delivery_note"], row["order_id"]) for row in (*rows, *receipts) if row["delivery_note"]}
    assert len({(row["supplier_id"], row["number"]) for row in rows}) == len(rows)
    assert len({row["number"] for row in rows}) < len(rows)
    assert len(notes) == len({note for note, _ in notes})


def test_others_have_invoices_like_those_of_the_pile_which_wait_for_them() -> None:
    for instance in drawn_instances()[::8]:
        ids, rows = ends_of(instance).keys(), table(instance, "invoices").values()
        others = [row for row in rows if row["id"] not in ids]
        waiting = [row for row in others if row["status"] == "open"]
        assert {tuple(sorted(row)) for row in rows} == {tuple(sorted(row)) for row in others}
        assert len(others) >= len(ids)
        assert waiting
        assert all(row["clerk"] != instance.persona.id for row in waiting)


@pytest.mark.parametrize("group", GROUPS)
def test_every_kind_of_case_can_be_drawn_alone(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, case in GROUPS[group].items():
        monkeypatch.setattr("scenarios.invoice_match.cases.GROUPS", {group: {name: case}})

        instance = instance_of(SCENARIO, 4, size="small")

        others = [end for _, end in pile(instance) if not end.startswith(("pay", "hold:already_paid"))]
        assert 13 <= len(ends_of(instance)) <= 17
        assert len(others) <= 3


@pytest.mark.parametrize("size", ["small", 1200])
def test_a_pile_is_of_the_same_kinds_in_a_company_of_any_size(size: str | int) -> None:
    usual, other = instance_of(SCENARIO, 6), instance_of(SCENARIO, 6, size=size)

    ends = [[end.partition(":")[0] for end in ends_of(one).values()] for one in (usual, other)]
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("version", "ordered", "billed", "claimed"),
    [
        (EXCESS, 100.0, 99.0, 0.0),
        (EXCESS, 100.0, 102.0, 0.0),
        (EXCESS, 100.0, 102.01, 0.01),
        (EXCESS, 5000.0, 5030.0, 0.0),
        (EXCESS, 5000.0, 5100.0, 70.0),
        (SPARING, 100.0, 102.0, 0.0),
        (SPARING, 100.0, 102.01, 0.51),
        (SPARING, 100.0, 110.0, 8.5),
        (Version(percent=1.0, cap=30.0, spared=3.0, claims_missing=True), 100.0, 102.0, 0.0),
    ],
)
def test_a_claim_is_for_what_goes_beyond_a_tolerance_or_for_almost_all_of_it(
    version: Version, ordered: float, billed: float, claimed: float
) -> None:
    assert version.claim(ordered, billed) == claimed


def test_other_editions_of_the_handbook_claim_and_hold_otherwise() -> None:
    drawn_terms = [draw_terms(pile_of([], seed).company, stopped=False) for seed in range(30)]

    for one in drawn_terms:
        billed = 1000.0 + one.before.tolerated(1000.0) + 5
        assert len({each.claim(1000.0, billed) for each in (one.now, one.before, one.draft)}) == 3
        assert one.draft.tolerated(1000.0) < one.now.tolerated(1000.0) < one.before.tolerated(1000.0)
        assert one.before.claims_missing == one.draft.claims_missing == (not one.now.claims_missing)
        assert (one.now.spared is None) == (one.before.spared is not None)
    assert len({(one.now.spared is None, one.now.claims_missing) for one in drawn_terms}) == 4


def test_the_guidance_gives_the_chapter_in_force_and_no_other_edition() -> None:
    for instance in drawn_instances()[:6]:
        editions = {handbook(instance, status) for status in ("superseded", "in_force", "draft")}
        assert len(editions) == 3
        assert instance.guidance.rules == handbook(instance, "in_force")
