"""Claims about every instance: its brief, its grading and its horizon."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Final

from companyos.evaluation.agents.turn import ENDS_OF_A_CALL
from companyos.sdk.chaos import CATALOG, FaultId, Layer
from companyos.sdk.scenario import CompanyState, Instance, View, horizon
from companyos.sdk.scenario_sources import reason_of

from .claims import Complaints, OfInstance

#: Upper bound on the sum of all milestones, so that success is worth more than any failure.
MILESTONES_AT_MOST: Final = 11.0
#: The longest episode that a reset accepts.
MOST_STEPS: Final = 1000

#: A brief is a colleague's request, not a tutorial.
MOST_WORDS: Final = 120

_ENVIRONMENT: Final = re.compile(r"\b(milestone|reward|oracle|chaos|episode|twin|counterfactual)\w*", re.I)


def briefs_the_agent(instance: Instance) -> Complaints:
    """Complain about a brief that omits who the agent is, or mentions the environment."""
    if instance.persona.id not in instance.brief:
        yield f"the brief does not name the agent's persona ({instance.persona.id})"
    if found := _ENVIRONMENT.search(instance.brief):
        yield f"the brief mentions the environment: {found[0]!r}"
    if (words := len(instance.brief.split())) > MOST_WORDS:
        yield f"the brief has {words} words, of at most {MOST_WORDS}; rules belong into documents and guidance"
    for name in _graded(instance):
        if name in instance.brief:
            yield f"the brief contains the name of a graded fact: {name}"


def keeps_its_secrets(instance: Instance) -> Complaints:
    """Complain about a brief that reveals the cause or a private fact."""
    for fact in (instance.cause, *instance.private):
        if fact and re.search(rf"(?<![\w.-]){re.escape(fact)}(?![\w-])", instance.brief):
            yield f"the brief reveals {fact!r}"


def names_its_cause(instance: Instance) -> Complaints:
    """Complain about an instance without a hidden cause."""
    if not instance.cause:
        yield "`cause` does not name the hidden cause"


def starts_with_nothing(instance: Instance) -> Complaints:
    """Complain about graded facts that hold before the first step, and about a task with nothing to do."""
    view = CompanyState(instance.rows).view()
    yield from (f"milestone {one.name} holds at the start" for one in instance.milestones if one.holds(view))
    yield from (f"{one.name} is broken at the start" for one in instance.forbidden if one.holds(view))
    yield from (f"order {one.name} is decided at the start" for one in instance.orders if one.then(view))
    if instance.feasible and all(must.holds(view) for must in instance.musts):
        yield "every must holds at the start, so finishing immediately succeeds"


def has_bounded_milestones(instance: Instance) -> Complaints:
    """Complain about milestones that are worth too little or too much."""
    for one in instance.milestones:
        if not isfinite(one.size) or one.size == 0:
            yield f"milestone {one.name} is worth {one.size}"
    total = sum(one.size for one in instance.milestones if one.size > 0)
    if not total <= MILESTONES_AT_MOST:
        yield f"its milestones are worth {total:g}, more than {MILESTONES_AT_MOST:g}"


def names_facts_once(instance: Instance) -> Complaints:
    """Complain about graded facts of one kind that share a name."""
    for kind in ("milestones", "musts", "forbidden", "orders"):
        for name, count in Counter(one.name for one in getattr(instance, kind)).items():
            if count > 1:
                yield f"{count} {kind} are called {name}"


def leaves_room(instance: Instance) -> Complaints:
    """Complain about a horizon that is too short for the oracle, or longer than an episode may be."""
    least = horizon(instance.oracle_steps)
    if instance.max_steps < least:
        yield f"max_steps is {instance.max_steps}; the oracle's {instance.oracle_steps} steps need {least}"
    if instance.max_steps > MOST_STEPS:
        yield f"max_steps is {instance.max_steps}, above {MOST_STEPS}"


def knows_its_faults(instance: Instance) -> Complaints:
    """Complain about injected faults that are not business faults."""
    business = {fault for fault in FaultId if CATALOG[fault].layer is Layer.BUSINESS}
    for trouble in instance.faults:
        if trouble.fault not in business:
            yield f"{trouble.fault!r} is not a business fault"


def says_how_to_refuse(instance: Instance) -> Complaints:
    """Complain about a refusal without reason codes, or with codes that no text names."""
    if instance.refusal is None:
        return
    codes = instance.refusal.reason_codes
    if not codes:
        yield "it is infeasible, but its refusal has no reason codes"
    elif not any(code in text for code in codes for text in _texts(instance)):
        yield f"no brief, rule or document names any of the reason codes {', '.join(codes)}"


def grades_what_is_left(instance: Instance) -> Complaints:
    """Complain about grading that fails once a row, or every row of a table, has been erased."""
    for erased, view in _erasures(instance):
        for name, error in _failures(instance, view):
            yield f"without {erased}, {name} cannot be judged: {reason_of(error)}"


def _erasures(instance: Instance) -> Iterator[tuple[str, View]]:
    """Yield the company without each table's rows, and without each row, and what is missing."""
    whole = CompanyState(instance.rows)
    for service, tables in instance.rows.items():
        for table, rows in tables.items():
            ids = [row["id"] for row in rows]
            cases = [(f"every row of {service}.{table}", ids), *((row_id, [row_id]) for row_id in ids)]
            for erased, gone in cases:
                company = whole.copy()
                company.apply(service, [{"table": table, "id": row_id, "row": None} for row_id in gone])
                yield erased, company.view()


def _failures(instance: Instance, view: View) -> Iterator[tuple[str, BaseException]]:
    graded: list[tuple[str, Callable[[View], object]]] = [
        *((one.name, one.holds) for one in instance.milestones),
        *((one.name, one.holds) for one in instance.musts),
        *((one.name, one.holds) for one in instance.forbidden),
        *((one.name, judge) for one in instance.orders for judge in (one.first, one.then)),
        *((one.name, one.chosen) for one in instance.sets),
    ]
    for name, judge in graded:
        try:
            judge(view)
        except ENDS_OF_A_CALL as error:
            yield name, error


def _texts(instance: Instance) -> list[str]:
    """Return the texts that describe the task to an agent: brief, rules and company documents."""
    documents = instance.rows.get("datahub", {}).get("documents", ())
    return [instance.brief, instance.guidance.rules, *(str(one["body"]) for one in documents)]


def _graded(instance: Instance) -> list[str]:
    facts = [one.name for one in (*instance.musts, *instance.forbidden)]
    return [*facts, *(one.name for one in instance.milestones), *(one.name for one in instance.orders)]


CLAIMS: Final = (
    OfInstance("The brief names the persona, and does not mention the grading", briefs_the_agent),
    OfInstance("The brief reveals no private fact", keeps_its_secrets),
    OfInstance("The goal names the hidden cause", names_its_cause),
    OfInstance("Nothing is earned, broken or solved before the first step", starts_with_nothing),
    OfInstance("Milestones are worth less than success", has_bounded_milestones),
    OfInstance("Every graded fact has a unique name", names_facts_once),
    OfInstance("The horizon gives the oracle at least 50 % spare steps", leaves_room),
    OfInstance("Its business faults are in the catalog", knows_its_faults),
    OfInstance("An infeasible task can be refused", says_how_to_refuse),
    OfInstance("Whatever is erased, the rest can be graded", grades_what_is_left, costly=True),
)
