"""The documents of a close against the agent's reading of them: what is written comes back, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.company import Row
from companyos.sdk.simtime import DAY
from scenarios.quarter_close import texts
from scenarios.quarter_close.plan import ANSWERED, MEMO, OLD_MEMO, PART, SILENT
from scenarios.quarter_close.reading import Manual, found, read_answer, read_manual, read_memo

from .closes import PAIRS, Written, pairs_of, written

CENTS = st.integers(0, 10**11)


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


def read(close: Written, status: str = "in_force") -> Manual:
    return read_manual(manuals(close)[status]["body"])


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
        assert (manual.runs, manual.high, manual.source, manual.prior) == (
            rules.runs,
            rules.high,
            rules.source,
            rules.prior,
        )
        assert manual.approval == "close_approval"


def test_every_class_and_category_has_a_tolerance_in_every_edition() -> None:
    for seed in PAIRS[:8]:
        for status in ("in_force", "superseded", "draft"):
            assert read(written(seed), status).tolerances.keys() == {
                (size, category) for size in ("major", "minor") for category in ("balance", "result")
            }


def test_the_edition_before_tolerates_more_and_the_draft_less() -> None:
    for seed in PAIRS:
        now, before, draft = (
            read(written(seed), one).tolerances for one in ("in_force", "superseded", "draft")
        )
        for one, percent in now.items():
            assert before[one] == pytest.approx(1.8 * percent, abs=0.006)
            assert draft[one] == pytest.approx(0.6 * percent, abs=0.006)


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


def test_the_rules_of_the_warehouse_are_no_manual() -> None:
    with pytest.raises(LookupError, match="failed runs"):
        read_manual(texts.CLOSING_TIME)


@pytest.mark.parametrize(
    "row",
    [
        "| major | 0.5 percent |",
        "| major | 0.5 | 1.5 |",
        "class major: 0.5 percent and 1.5 percent",
        "| class | balance | result |",
    ],
)
def test_a_row_that_is_no_pair_of_percentages_is_no_tolerance(row: str) -> None:
    body = manuals(written(0))["in_force"]["body"]
    rules = [one for one in body.splitlines() if not one.startswith(("| major", "| minor"))]

    assert read_manual("\n".join([*rules, row])).tolerances == {}


def test_the_manual_is_read_across_its_line_breaks() -> None:
    body = str(manuals(written(0))["in_force"]["body"])
    prose, table = body.split("| class |")[0], body[body.index("| class |") :]

    assert read_manual(prose.replace(" ", "\n") + table) == read_manual(body)


def test_a_pattern_that_matches_nothing_is_named() -> None:
    with pytest.raises(LookupError, match="nothing like"):
        found(r"(\d+) sheep", "No sheep here.")


@pytest.mark.parametrize("wording", texts.EXPLANATIONS)
@given(cents=CENTS)
def test_an_owners_answer_is_read_to_the_cent_in_every_wording(wording: str, cents: int) -> None:
    assert read_answer(wording.format(amount=cents / 100, cause="a bonus")) == cents / 100


@pytest.mark.parametrize("wording", [*texts.SILENT, texts.WHICH, "About 5000 EUR.", "1,200.00 USD"])
def test_words_without_an_amount_in_euros_explain_nothing(wording: str) -> None:
    assert read_answer(wording) == 0.0


@given(st.dictionaries(st.integers(1, 9999).map(lambda one: f"MET-{one:04d}"), CENTS, max_size=4))
def test_every_line_of_a_memo_is_read(cents: dict[str, int]) -> None:
    lines = [
        texts.MEMO_LINE.format(line="scrap cost", metric_id=one, amount=amount / 100, cause="a bonus")
        for one, amount in cents.items()
    ]

    assert read_memo("\n".join(lines)) == {one: amount / 100 for one, amount in cents.items()}


@pytest.mark.parametrize(
    "prose",
    [
        "MET-0101: 5.00 EUR",
        "scrap cost (MET-0101) is 5.00 EUR off",
        "(LE-101): 5.00 EUR",
        "(MET-0101): 5 EUR",
    ],
)
def test_prose_about_amounts_is_no_line_of_a_memo(prose: str) -> None:
    assert read_memo(prose) == {}


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


def test_what_the_owner_of_a_pair_knows_shows_in_their_answer_alone() -> None:
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
