"""Reading the documents of the desk: what the writer writes is understood, and prose that resembles it is not."""

import pytest

from companyos.company import Company, Row
from companyos.sdk.simtime import DAY, HOUR
from scenarios.approver_desk import reading, words
from scenarios.approver_desk.documents import add_quote, write_documents
from scenarios.approver_desk.pack import TYPES
from scenarios.approver_desk.reading import Cover, Rules
from scenarios.approver_desk.terms import ENDED, IN_FORCE_S, People, Terms, draw_terms

from ..paper import Paper, Shown, as_shown, document
from .piles import APART, SEEDS, hired, new_company
from .waiting import HEAD, LETTER, ME, NOW, letter, library, minutes, rules

OTHER_LETTER = LETTER.replace("8,000", "1")


def written(seed: int, *, ended: bool = False) -> tuple[Paper, Company, People, Terms, Row]:
    """Return the documents of a drawn desk on paper, the facts in them, and the minutes that count."""
    company = new_company(seed)
    _, people = hired(company)
    terms = draw_terms(company, apart=APART, ended=ended)
    counts = write_documents(company, people, terms)
    shown = [as_shown(dict(row)) for row in company.rows["datahub"]["documents"]]
    return Paper(company.start, f"Hi ({people.me.id})", shown), company, people, terms, counts


def on_paper(*documents: Shown) -> Paper:
    return Paper(NOW, f"Hi ({ME})", list(documents))


def versions(paper: Paper, *, all_versions: bool) -> list[Rules]:
    return paper.told(lambda me: reading.read_rules(me, all_versions=all_versions))


def cover(paper: Paper, head: str = HEAD) -> Cover:
    return paper.told(lambda me: reading.read_cover(me, head))


def ending(paper: Paper, name: str = "Hanna Head") -> str | None:
    return paper.told(lambda me: reading.read_ending(me, name))


def test_the_rules_in_force_are_read_as_they_were_drawn() -> None:
    for seed in SEEDS:
        paper, company, _, terms, _ = written(seed)
        [now] = versions(paper, all_versions=False)

        assert now.since == company.start - IN_FORCE_S
        assert (now.quotes_from, now.window_days) == (terms.now.quotes_from, terms.window_days)
        assert now.setup_hours == terms.setup_hours
        assert now.ended_code == ENDED


def test_all_versions_that_were_ever_in_force_are_read_newest_first() -> None:
    for seed in SEEDS:
        paper, company, _, terms, _ = written(seed)
        now, before, first = versions(paper, all_versions=True)

        assert (now.quotes_from, before.quotes_from) == (terms.now.quotes_from, terms.before.quotes_from)
        assert now.since > before.since > first.since
        assert before.since < company.start - 30 * DAY
        assert (before.setup_hours, first.setup_hours) == (None, None)


def test_each_version_is_read_to_exclude_what_it_excludes_and_nothing_else() -> None:
    for seed in SEEDS:
        paper, _, _, terms, _ = written(seed)
        now, before, _ = versions(paper, all_versions=True)

        for read, drawn in ((now, terms.now), (before, terms.before)):
            found = {
                thing
                for thing in (*words.EXCLUDED, *words.THINGS)
                if reading.is_excluded(thing, read.excluded)
            }
            assert found == set(drawn.excluded)


def test_the_cover_is_read_as_it_was_drawn() -> None:
    for seed in SEEDS:
        paper, _, people, terms, _ = written(seed)

        assert cover(paper, people.head.id) == Cover(
            limits=terms.limits, second=people.second.id, apart=APART, keeper=people.keeper.id
        )


@pytest.mark.parametrize("ended", [True, False])
def test_the_end_of_a_cover_is_found_where_it_was_written(*, ended: bool) -> None:
    for seed in SEEDS:
        paper, _, people, _, counts = written(seed, ended=ended)

        assert ending(paper, people.head.name) == (counts["id"] if ended else None)


def test_the_end_of_the_second_heads_cover_was_written_too() -> None:
    for seed in SEEDS:
        paper, company, people, _, counts = written(seed)
        found = ending(paper, people.second.name)

        assert found is not None
        assert found != counts["id"]
        assert company.row("datahub", "documents", found)["written_at"] == company.start - 7 * DAY


def test_the_supplier_of_a_quote_is_read_as_it_was_written() -> None:
    company = new_company(0)
    _, people = hired(company)

    for supplier in words.SUPPLIERS:
        quote_id = add_quote(company, supplier, "Hand scanner", 1234.0, people.boss, HOUR)
        assert reading.supplier_of(company.row("datahub", "documents", quote_id)) == supplier


def test_a_version_takes_effect_when_it_says_and_otherwise_when_it_was_written() -> None:
    paper = on_paper(
        rules("DOC-1", 20 * DAY, 3000, "gift cards", effective_from=NOW - DAY),
        rules("DOC-2", 10 * DAY, 4000, "gift cards"),
    )

    assert [one.since for one in versions(paper, all_versions=False)] == [NOW - DAY, NOW - 10 * DAY]


@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_rules_that_were_never_in_force_are_not_read(status: str) -> None:
    paper = on_paper(rules("DOC-1", DAY, 3000, "gift cards", status=status))

    assert versions(paper, all_versions=True) == []
    assert paper.called("datahub_get_document") == []


def test_a_policy_that_only_speaks_of_the_rules_is_not_read() -> None:
    other = document(
        "DOC-9", "policy", "About the spending rules of the units", "10 EUR or more of the units", NOW - DAY
    )

    assert len(versions(on_paper(other, *library()), all_versions=True)) == 2


def test_three_things_may_be_excluded() -> None:
    [read] = versions(
        on_paper(rules("DOC-1", DAY, 3000, "gift cards, mobile phones and standing desks")),
        all_versions=False,
    )

    assert read.excluded == ("gift cards", "mobile phones", "standing desks")


@pytest.mark.parametrize(
    "lost",
    ["3,000 EUR or more", "within 7 days", "not bought this way: gift cards", "handed back (cover_ended)"],
)
def test_rules_that_leave_something_out_are_an_error_and_no_guess(lost: str) -> None:
    found = rules("DOC-1", DAY, 3000, "gift cards")
    found["body"] = found["body"].replace(lost, "")

    with pytest.raises(LookupError, match="says nothing like"):
        versions(on_paper(found), all_versions=False)


def test_amounts_above_a_thousand_are_read_with_their_commas() -> None:
    [read] = versions(on_paper(rules("DOC-1", DAY, 1_234_567, "gift cards")), all_versions=False)

    assert read.quotes_from == 1_234_567.0


@pytest.mark.parametrize(
    "passed_over",
    [
        letter("DOC-9", HOUR, OTHER_LETTER, author="pat.peer"),
        letter("DOC-9", HOUR, OTHER_LETTER.replace(ME, "pat.peer")),
        letter("DOC-9", 300 * DAY, OTHER_LETTER),
    ],
    ids=["of-another-head", "to-another-person", "older"],
)
def test_a_letter_that_does_not_count_is_passed_over(passed_over: Shown) -> None:
    read = cover(on_paper(passed_over, *library()))

    assert read == cover(on_paper(*library()))


def test_a_newer_letter_replaces_an_older_one() -> None:
    newer = letter("DOC-9", HOUR, LETTER.replace("8,000", "9,500"))

    assert cover(on_paper(*library(), newer)).limits["purchase_approval"] == 9500.0


def test_without_a_letter_there_is_no_cover_to_guess() -> None:
    with pytest.raises(LookupError, match="no letter of cover"):
        cover(on_paper())


@pytest.mark.parametrize("type_id", TYPES)
def test_a_letter_that_leaves_a_limit_out_is_an_error(type_id: str) -> None:
    name = {"purchase_approval": "purchases", "invoice_approval": "invoices"}.get(type_id, "training")
    body = LETTER.replace(f"{name} up to", f"{name} to about")

    with pytest.raises(LookupError, match=name):
        cover(on_paper(letter("DOC-3", DAY, body)))


def test_minutes_are_read_from_the_newest_on_and_no_further_than_needed() -> None:
    paper = on_paper(
        minutes("DOC-1", 14 * DAY, "the cover for Hanna Head has ended."),
        minutes("DOC-2", HOUR, "the cover for Sue Second has ended."),
        minutes("DOC-3", 7 * DAY, "the cover for Hanna Head stays."),
    )

    assert ending(paper) is None
    assert paper.called("datahub_get_document") == [{"document_id": "DOC-2"}, {"document_id": "DOC-3"}]


@pytest.mark.parametrize(
    "about",
    [
        "the cover for Hanna Head has not ended.",
        "Hanna Head asks whether the cover has ended.",
        "the cover for Hanna Headley has ended.",
    ],
)
def test_minutes_that_only_sound_like_the_end_end_nothing(about: str) -> None:
    assert ending(on_paper(minutes("DOC-1", HOUR, about))) is None


@pytest.mark.parametrize(
    ("thing", "is_excluded"),
    [
        ("Gift card", True),
        ("gift cards", True),
        ("Gift card, 50 EUR", True),
        ("Card for a gift", False),
        ("A gift card", False),
        ("Gift", False),
    ],
)
def test_a_thing_is_excluded_by_how_it_begins(thing: str, *, is_excluded: bool) -> None:
    assert reading.is_excluded(thing, ("mobile phones", "gift cards")) is is_excluded


def test_no_exclusions_exclude_nothing() -> None:
    assert not any(reading.is_excluded(thing, ()) for thing in words.EXCLUDED)
