"""The brief that an agent reads at the start, and the guidance that a trainer may add to it."""

from collections.abc import Sequence
from typing import Final

from companyos.sdk.company import Chapter, Person
from companyos.sdk.scenario import Guidance

_BRIEF: Final = """\
You are {name} ({id}), {role} in the {team} team of {employer}.

{story} How we do this stands in the handbook.

{reporter}"""

_RULES: Final = """\
Time is simulated: a call takes about a minute, and `wait` lets time pass.

House rules:
{rules}

When everything asked for is in place, call `finish` with one sentence on the outcome. That ends the task, so do it \
once, and last."""


def write_brief(employer: str, persona: Person, reporter: Person, story: str) -> str:
    """Return the brief of a task: who the agent is, and what a colleague asks of them."""
    return _BRIEF.format(
        name=persona.name,
        id=persona.id,
        role=persona.role.replace("_", " "),
        team=persona.team,
        employer=employer,
        story=story,
        reporter=reporter.name,
    )


def write_guidance(chapters: Sequence[Chapter], others: Sequence[str] = ()) -> Guidance:
    """Return the guidance of a task: the titles of its chapters and of `others`, and every rule of the chapters."""
    rules = [rule for chapter in chapters for rule in chapter.text.split("\n\n")]
    numbered = [f"{number}. {rule}" for number, rule in enumerate(rules, start=1)]
    titles = (*(f"Handbook: {chapter.title}" for chapter in chapters), *filter(None, others))
    return Guidance(titles, _RULES.format(rules="\n".join(numbered)))
