"""What every department contributes: complete, spoken in words that can be filled in, and decided by somebody."""

import string
from collections.abc import Iterator

import pytest

from companyos.sdk.company import ApprovalType, Company, Content, Pack, PacksDoNotFit, TicketKind
from companyos.sdk.company.areas.library import Facts
from companyos.sdk.company.packs.texts import DocumentTemplate, MailTemplate
from scenarios.packs import analytics, engineering, finance, office, people, procurement, staffing
from scenarios.vendor_onboarding.pack import PACK as REMEDIATION

from ..company.building import company

PACKS = (
    office.PACK,
    finance.PACK,
    procurement.PACK,
    engineering.PACK,
    people.PACK,
    staffing.PACK,
    analytics.PACK,
)
KINDS = [kind for pack in (*PACKS, REMEDIATION) for kind in pack.ticket_kinds]
TYPES = [one for pack in PACKS for one in pack.approval_types]
TYPES += [one.type for one in finance.PACK.side_requests]
WORDED = [kind for kind in KINDS if kind.phrases is not None]
DOCUMENTS = [(pack, one) for pack in PACKS for one in pack.documents]
MAILS = [one for pack in PACKS for one in pack.mails]


def named(text: str) -> set[str]:
    """Return the names in braces in a text."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def sentences(template: DocumentTemplate) -> Iterator[str]:
    yield template.title
    for heading, paragraphs in template.sections:
        yield heading
        yield from paragraphs


def test_all_departments_together_form_a_company() -> None:
    content = Content((*PACKS, REMEDIATION))

    assert len(content.packs) == 8
    assert content.workplace is office.PACK.workplace
    assert content.ledger is finance.PACK.ledger


@pytest.mark.parametrize("pack", PACKS[2:], ids=lambda pack: pack.name)
def test_department_pack_without_an_office_is_no_company(pack: Pack) -> None:
    with pytest.raises(PacksDoNotFit, match="workplace"):
        Content((pack,))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_a_kind_has_priorities_in_order_and_roles_that_somebody_has(kind: TicketKind) -> None:
    order = ("low", "medium", "high", "urgent")
    roles = {office.role for pack in PACKS for office in pack.offices}
    roles |= {role for pack in PACKS for _, role in pack.teams}

    places = [order.index(one) for one in kind.allowed]

    assert places == sorted(set(places))
    assert set(kind.verifier_roles) <= roles


@pytest.mark.parametrize("kind", WORDED, ids=lambda kind: kind.id)
def test_phrases_name_only_what_a_ticket_can_know(kind: TicketKind) -> None:
    phrases = kind.phrases
    assert phrases is not None

    for sentence in (*phrases.openings, *phrases.details, *phrases.closings):
        assert named(sentence) <= {"name", "team", "value"}
        assert sentence[-1] in ".!?"
    assert not any(named(one) for one in phrases.closings)


@pytest.mark.parametrize("kind", WORDED, ids=lambda kind: kind.id)
def test_every_kind_can_be_described_without_a_record_or_says_what_it_is_about(kind: TicketKind) -> None:
    phrases = kind.phrases
    assert phrases is not None

    without_name = [one for one in phrases.openings if "name" not in named(one)]

    assert without_name == ([*phrases.openings] if kind.id == "task" else [])


@pytest.mark.parametrize(("pack", "template"), DOCUMENTS, ids=lambda one: getattr(one, "title", one))
def test_a_template_can_be_filled_in_wherever_it_has_braces(pack: Pack, template: DocumentTemplate) -> None:
    facts = Facts(_staffed(), template.things, 1)

    texts = [sentence.format_map(facts) for sentence in sentences(template)]

    assert not any("{" in text or "}" in text for text in texts)
    assert all(text.strip() for text in texts)


def _staffed() -> Company:
    built = company()
    built.hire("Ada Moss", "clerk", "Hall")
    return built


def test_document_templates_have_unique_titles() -> None:
    titles = [template.title for _, template in DOCUMENTS]

    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("mail", MAILS, ids=lambda mail: mail.subject)
def test_a_mail_can_be_filled_in_and_begins_with_its_first_sentence(mail: MailTemplate) -> None:
    facts = Facts(_staffed(), mail.things, 1)

    texts = [text.format_map(facts) for text in (mail.subject, *mail.sentences)]

    assert not any("{" in text for text in texts)
    assert len(mail.sentences) > 1


@pytest.mark.parametrize(
    ("kind", "title"), [("form", "Form: reserving the large room"), ("handbook", "Vacation")]
)
def test_background_documents_of_the_kinds_that_tasks_use_never_have_a_tasks_title(
    kind: str, title: str
) -> None:
    titles = {template.title for _, template in DOCUMENTS if template.kind == kind}

    assert title in titles
    assert not any(one.startswith("Handbook: ") for one in titles)


def test_names_of_people_are_one_word_each_so_that_ids_have_one_dot() -> None:
    assert all(name.isalpha() for name in (*office.names.FIRST, *office.names.LAST))


@pytest.mark.parametrize("one", TYPES, ids=lambda one: one.id)
def test_bands_rise_and_the_last_decides_the_rest(one: ApprovalType) -> None:
    for routes in (one.routes, *(later.routes for later in one.successions)):
        edges = [band.below for band in routes[:-1]]
        assert routes[-1].below is None
        assert None not in edges
        assert edges == sorted(set(edges))  # type: ignore[type-var]


@pytest.mark.parametrize("one", TYPES, ids=lambda one: one.id)
def test_a_type_names_only_fields_that_it_has(one: ApprovalType) -> None:
    names = [field.name for field in one.fields]

    assert {one.metric_field, one.route_field} - {None} <= set(names)
    assert len(set(names)) == len(names)
    assert len(one.routes) == 1 or one.route_field is not None


@pytest.mark.parametrize("one", TYPES, ids=lambda one: one.id)
def test_a_new_name_of_a_field_is_no_present_name(one: ApprovalType) -> None:
    synonyms = [field.synonym for field in one.fields if field.synonym]

    assert len(set(synonyms)) == len(synonyms)
    assert not set(synonyms) & {field.name for field in one.fields}
    assert not set(synonyms) & {"cost_centre", "reporter"}


@pytest.mark.parametrize("one", TYPES, ids=lambda one: one.id)
def test_a_successor_policy_replaces_roles_that_decide_by_roles_that_it_has(one: ApprovalType) -> None:
    for later in one.successions:
        decide_later = {band.role for band in later.routes}
        assert set(later.successors) <= set(one.roles)
        assert set(later.successors.values()) <= decide_later
        assert len(set(later.successors.values())) == len(later.successors)
        assert all(role != successor for role, successor in later.successors.items())
