"""The documents of a task: the handbook, the exclusion list, and the forms of its case and a look-alike."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from companyos.sdk.company import Chapter, Row, register_number
from companyos.sdk.simtime import DAY

from .builder import TaskBuilder
from .endings import TaskEnding
from .facts import TaskFacts
from .profile import TaskProfile

HANDBOOK: Final = "handbook"
FORM: Final = "form"
POLICY: Final = "policy"
_SEE_ALSO: Final = """\
{text}

What holds for every case stands in the other chapters of the handbook: {titles}."""
#: Record fields that no form states, because faults may dispute or overwrite them.
_UNSTATED: Final = frozenset({"cost_centre", "see_also", "note"})
#: How many unrelated numbers an exclusion list contains.
_LISTED: Final = 3


def chapters_of(builder: TaskBuilder, own: Chapter) -> tuple[Chapter, ...]:
    """Return the chapters of a company's handbook, with the task's own chapter last."""
    return (*builder.company.content.chapters, *((own,) if own.text else ()))


def write_handbook(builder: TaskBuilder, chapters: Sequence[Chapter]) -> None:
    """Add the handbook: each chapter in force, with its previous edition and its draft, if any.

    The chapters in force link to each other. The task's own chapter is short and also names the others.
    """
    general, in_force = [one.title for one in builder.company.content.chapters], list[Row]()
    for number, chapter in enumerate(chapters):
        age_s = builder.draws.integer("chapter.age", 40, 300, number) * DAY
        before = _chapter(builder, chapter, chapter.superseded, 2 * age_s, status="superseded")
        supersedes = before["id"] if before else None
        is_own = bool(general) and chapter.title not in general
        text = _SEE_ALSO.format(text=chapter.text, titles="; ".join(general)) if is_own else chapter.text
        if (row := _chapter(builder, chapter, text, age_s, supersedes=supersedes)) is not None:
            in_force.append(row)
        _chapter(builder, chapter, chapter.draft, age_s // 4, status="draft")
    for row in in_force:
        row["links"] = [other["id"] for other in in_force if other is not row]


def write_file(facts: TaskFacts, builder: TaskBuilder, profile: TaskProfile) -> TaskFacts:
    """Add the forms of the case and its look-alike, and the exclusion list; return the facts with them."""
    if not profile.form:
        return facts
    other = _look_alike(facts, builder)
    stated = dict(_stated(facts.record))
    if builder.ending is TaskEnding.RETURNED:
        stated |= _contradiction(facts, builder, other)
    early = {**dict(_stated(facts.record)), **_other_number(facts, builder, 900)}
    first = _form(facts, builder, profile, facts.record, early, age_s=9 * DAY, status="superseded")
    form = _form(facts, builder, profile, facts.record, stated, age_s=6 * DAY, supersedes=first["id"])
    if other is not None:
        _form(facts, builder, profile, other, dict(_stated(other)), age_s=7 * DAY)
    return replace(facts, form=form, exclusions=_exclusions(facts, builder, profile))


def _chapter(builder: TaskBuilder, chapter: Chapter, text: str, age_s: int, **columns: Any) -> Row | None:
    if not text:
        return None
    author, title = builder.cast.author, f"Handbook: {chapter.title}"
    body = f"# {chapter.title}\n\n{text}"
    return builder.company.add_document(HANDBOOK, title, author.team, author, body, age_s=age_s, **columns)


def _form(
    facts: TaskFacts,
    builder: TaskBuilder,
    profile: TaskProfile,
    record: Row,
    stated: Mapping[str, Any],
    **columns: Any,
) -> Row:
    title = f"{profile.form}: {record['name']}"
    lines = [f"- {name.replace('_', ' ')}: {value}" for name, value in stated.items()]
    author = builder.cast.reporter
    body = f"# {title}\n\nFilled in by {author.name} about {record['id']}.\n\n" + "\n".join(lines)
    links = [record["id"], *([facts.ticket["id"]] if record is facts.record else [])]
    return builder.company.add_document(FORM, title, author.team, author, body, links=links, **columns)


def _stated(record: Row) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in record["fields"].items() if name not in _UNSTATED)


def _contradiction(facts: TaskFacts, builder: TaskBuilder, other: Row | None) -> dict[str, Any]:
    """Return a field of the case's record with a wrong value: the look-alike's, or another number."""
    own, theirs = dict(_stated(facts.record)), dict(_stated(other)) if other else {}
    differing = [name for name, value in theirs.items() if name in own and value != own[name]]
    if differing:
        name = builder.draws.choice("form.wrong", differing)
        return {name: theirs[name]}
    return _other_number(facts, builder, 901)


def _other_number(facts: TaskFacts, builder: TaskBuilder, number: int) -> dict[str, str]:
    """Return the record's distinguishing number field with another value."""
    letter = str(facts.record["fields"][facts.mark])[0]
    return {facts.mark: register_number(builder.company, letter, number)}


def _look_alike(facts: TaskFacts, builder: TaskBuilder) -> Row | None:
    records = builder.company.rows["datahub"]["records"]
    kind, own = facts.record["kind"], facts.record["id"]
    return next((one for one in records if one["kind"] == kind and one["id"] != own), None)


def _exclusions(facts: TaskFacts, builder: TaskBuilder, profile: TaskProfile) -> Row:
    """Add the exclusion list in force, its previous edition and a draft; only the list in force counts."""
    mark, index = str(facts.record["fields"][facts.mark]), builder.draws.integer("hold.place", 0, _LISTED)
    lists = [_numbers(builder, mark[0], edition) for edition in range(3)]
    for edition in range(3):
        # The draft always names the case, the old list never, the list in force only if it forbids the case.
        if edition == 2 or (edition == 1 and builder.ending is TaskEnding.FORBIDDEN):
            lists[edition].insert(index, mark)
        else:
            lists[edition].insert(index, register_number(builder.company, mark[0], 800 + edition))
    old = _list(facts, builder, profile, lists[0], age_s=200 * DAY, status="superseded")
    there = _list(facts, builder, profile, lists[1], age_s=20 * DAY, supersedes=old["id"])
    _list(facts, builder, profile, lists[2], age_s=2 * DAY, status="draft")
    return there


def _numbers(builder: TaskBuilder, letter: str, edition: int) -> list[str]:
    return [register_number(builder.company, letter, 700 + 10 * edition + index) for index in range(_LISTED)]


def _list(
    facts: TaskFacts, builder: TaskBuilder, profile: TaskProfile, numbers: Sequence[str], **columns: Any
) -> Row:
    author, label = builder.cast.checker, facts.mark.replace("_", " ")
    listed = "\n".join(f"- {number}" for number in numbers)
    body = f"# {profile.exclusions}\n\nNothing is decided about these until further notice, by {label}:\n\n{listed}"
    return builder.company.add_document(POLICY, profile.exclusions, author.team, author, body, **columns)
