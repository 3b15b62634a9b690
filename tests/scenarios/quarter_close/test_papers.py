"""The documents of a close: what is true in them, and what is only claimed."""

from dataclasses import asdict

import pytest

from companyos.company import Row
from companyos.sdk.documents import Fields, read_any
from companyos.sdk.simtime import DAY
from scenarios.quarter_close import texts
from scenarios.quarter_close.plan import ANSWERED, MEMO, OLD_MEMO, PART, SILENT

from .closes import PAIRS, Written, pairs_of, written

SIZES, CATEGORIES = ("major", "minor"), ("balance", "result")


def manuals(close: Written) -> dict[str, Row]:
    """Return the editions of the manual by status."""
    return {one["status"]: one for one in close.rows("documents") if one["title"] == texts.MANUAL_TITLE}


def memos(close: Written, status: str = "in_force") -> list[Row]:
    """Return the memos about the differences of the entity that is closed."""
    title = f"Differences of {close.name}, {close.facts.books.period['name']}"
    return [one for one in close.rows("documents") if (one["title"], one["status"]) == (title, status)]


def memo_of(close: Written, office: str, status: str = "in_force") -> Row | None:
    author = close.cast.offices[office].id
    return next((one for one in memos(close, status) if one["author"] == author), None)


def read(close: Written, status: str = "in_force") -> Fields:
    return texts.MANUAL.read(manuals(close)[status]["body"])


def read_memo(body: str) -> dict[str, float]:
    """Return what a memo explains, by metric."""
    return {one["metric_id"]: one["amount"] for one in texts.MEMO.read(body)["lines"]}


def read_answer(body: str) -> float:
    """Return the amount that an answer explains."""
    fields = read_any((*texts.EXPLANATIONS, *texts.CLAIM), body)
    return float(fields["amount"]) if fields else 0.0


def answers(close: Written) -> dict[str, Row]:
    """Return what the owners know, by metric."""
    return {one["about"]: one for one in close.rows("knowledge")}


def amounts(close: Written, *kinds: str, part: str) -> dict[str, float]:
    """Return a part of the variances of some kinds, by metric."""
    return {
        close.facts.metric(name): getattr(one, part)
        for name, one in close.facts.variances.items()
        if one.kind in kinds
    }


def test_the_rules_of_the_manual_are_the_rules_that_an_agent_reads() -> None:
    for seed in PAIRS:
        manual, rules = read(written(seed)), written(seed).facts.rules
        assert asdict(rules).items() <= manual.items()
        assert manual["approval"] == "close_approval"


def test_the_edition_before_tolerates_more_and_the_draft_less() -> None:
    for seed in PAIRS:
        now, before, draft = (read(written(seed), one) for one in ("in_force", "superseded", "draft"))
        for one in (f"{size}_{category}" for size in SIZES for category in CATEGORIES):
            assert before[one] == pytest.approx(1.8 * now[one], abs=0.006)
            assert draft[one] == pytest.approx(0.6 * now[one], abs=0.006)


def test_editions_follow_each_other_and_only_one_is_in_force() -> None:
    for seed in PAIRS[:8]:
        editions = manuals(written(seed))
        old, now, draft = (editions[one] for one in ("superseded", "in_force", "draft"))
        assert (old["supersedes"], now["supersedes"], draft["supersedes"]) == (None, old["id"], now["id"])
        assert old["written_at"] < now["written_at"] < draft["written_at"]
        assert written(seed).facts.manual["id"] == now["id"]


def test_only_the_draft_says_that_it_is_one() -> None:
    said = {one: "Draft for discussion" in text["body"] for one, text in manuals(written(0)).items()}

    assert said == {"in_force": False, "superseded": False, "draft": True}


def test_the_two_reason_codes_differ() -> None:
    assert all(written(seed).facts.rules.source != written(seed).facts.rules.prior for seed in PAIRS)


def test_the_controllers_memo_explains_what_the_variances_say_and_nothing_else() -> None:
    seen = 0
    for seed in PAIRS:
        close = written(seed)
        memo, explained = memo_of(close, "controller"), amounts(close, MEMO, OLD_MEMO, part="memo")
        assert (memo is None) == (explained == {})
        seen += memo is not None
        assert memo is None or read_memo(memo["body"]) == explained

    assert seen > 10


def test_a_superseded_memo_is_there_only_if_it_would_mislead() -> None:
    for seed in PAIRS:
        close = written(seed)
        older, old = memo_of(close, "controller", "superseded"), amounts(close, OLD_MEMO, part="older")
        assert (older is not None) == (old != {})
        if older is not None:
            now = memo_of(close, "controller")
            assert now is not None
            assert now["supersedes"] == older["id"]
            assert read_memo(older["body"]) == old | amounts(close, MEMO, part="memo")


def test_a_memo_of_the_finance_director_claims_what_only_owners_can_explain() -> None:
    for seed in PAIRS:
        close = written(seed)
        memo, claimed = memo_of(close, "finance_director"), amounts(close, SILENT, ANSWERED, part="left")
        assert (memo is None) == (claimed == {})
        if memo is not None:
            told = amounts(close, SILENT, ANSWERED, part="answer")
            assert read_memo(memo["body"]) == {one: round(claimed[one] + told[one], 2) for one in claimed}


def test_a_memo_links_the_entity_and_the_metrics_that_it_names() -> None:
    for seed in PAIRS:
        for memo in memos(written(seed)):
            entity, *metrics = memo["links"]
            assert entity == written(seed).facts.books.entity["id"]
            assert {*metrics} == {*read_memo(memo["body"])}


def test_another_entity_with_nearly_the_same_name_has_a_memo_of_its_own() -> None:
    for seed in PAIRS[:12]:
        close = written(seed)
        others = [
            one
            for one in close.rows("documents")
            if one["title"].startswith("Differences of ")
            and close.facts.books.entity["id"] not in one["links"]
        ]
        [memo] = others
        own = {close.facts.metric(line.name) for line in close.facts.lines}
        assert memo["title"].split()[2] == close.name.split()[0]
        assert len(read_memo(memo["body"])) == 2
        assert not own & {*read_memo(memo["body"])}


def test_an_owner_explains_what_the_variance_says_and_nothing_about_other_lines() -> None:
    for seed in PAIRS:
        close = written(seed)
        for line in close.facts.lines:
            told = answers(close)[close.facts.metric(line.name)]
            variance = close.facts.variances.get(line.name)
            assert read_answer(told["body"]) == (variance.answer if variance else 0.0)
            assert told["person"] == close.facts.books.owners[line.name].id


def test_an_owner_who_asks_back_needs_the_period_and_asks_about_all_of_their_lines() -> None:
    asking = 0
    for seed in PAIRS:
        close = written(seed)
        curious = {one["person"] for one in answers(close).values() if one["question"]}
        assert len(curious) <= 1
        asking += len(curious)
        for one in answers(close).values():
            asked = one["person"] in curious
            expected = (texts.WHICH, close.facts.books.period["id"]) if asked else (None, None)
            assert (one["question"], one["needs"]) == expected

    assert asking > 10


def test_answers_come_after_a_quarter_of_an_hour_to_seventy_minutes() -> None:
    delays = {one["delay_s"] for seed in PAIRS for one in answers(written(seed)).values()}

    assert (min(delays), max(delays)) == (15 * 60, 70 * 60)


def claims(close: Written) -> list[Row]:
    return [one for one in close.rows("messages") if one["recipient"] == close.facts.me.id]


def test_a_mail_about_a_variance_is_older_than_the_figures_and_claims_to_explain_all_of_it() -> None:
    seen = 0
    for seed in PAIRS:
        close = written(seed)
        names = {close.facts.metric(name): name for name in close.facts.variances}
        for mail in claims(close):
            variance = close.facts.variances[names[mail["about"]]]
            assert 2 * DAY <= close.company.start - mail["sent_at"] <= 9 * DAY
            assert read_answer(mail["body"]) == round(variance.left + variance.answer, 2)
            seen += 1

    assert seen > 20


def test_such_mails_come_from_the_owner_and_from_others() -> None:
    by_owner: set[bool] = set()
    for seed in PAIRS:
        close = written(seed)
        owners = {close.facts.metric(name): one.id for name, one in close.facts.books.owners.items()}
        for mail in claims(close):
            assert mail["sender"] in owners.values()
            by_owner.add(mail["sender"] == owners[mail["about"]])

    assert by_owner == {True, False}


def test_memos_and_claims_do_not_reveal_the_answer_of_the_owner() -> None:
    for silent, told in pairs_of("answer"):
        mine, its = silent.facts.variances, told.facts.variances
        [changed] = [name for name in mine if mine[name] != its[name]]
        assert {mine[changed].kind, its[changed].kind} == {SILENT, ANSWERED}
        assert [one["body"] for one in memos(silent)] == [one["body"] for one in memos(told)]
        assert [one["body"] for one in claims(silent)] == [one["body"] for one in claims(told)]


def test_a_part_that_the_owner_explains_is_in_no_memo() -> None:
    for seed in PAIRS:
        close = written(seed)
        listed = {one for memo in memos(close) for one in read_memo(memo["body"])}
        assert not listed & {*amounts(close, PART, part="left")}
