"""Claims about a scenario's metadata: its name, its version and its environment card."""

import re
from typing import Final

from companyos.sdk.scenario import Scenario, folder_of

from .claims import Complaints, OfScenario

#: The sections of an environment card, in order.
CARD_PARTS: Final = (
    "Story",
    "Tools",
    "Observation",
    "Start",
    "Reward",
    "Harmless",
    "Episode end",
    "Chaos",
    "Baselines",
    "Version history",
)


def names_itself(scenario: Scenario) -> Complaints:
    """Complain about an invalid name, version, title or summary."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", scenario.name):
        yield f"the name {scenario.name!r} must be at most 64 lowercase letters, digits and underscores"
    if not isinstance(scenario.version, int) or scenario.version < 1:
        yield f"the version {scenario.version!r} is not a positive integer"
    for part in ("title", "summary"):
        if not str(getattr(scenario, part, "")).strip():
            yield f"it has no {part}"


def has_a_card(scenario: Scenario) -> Complaints:
    """Complain about an environment card that is missing, incomplete or for another version."""
    card = folder_of(scenario) / "README.md"
    if not card.is_file():
        yield f"{card} is missing"
        return
    text = card.read_text(encoding="utf-8")
    if text.partition("\n")[0] != f"# {scenario.title}":
        yield f"its first line is not `# {scenario.title}`"
    parts = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if parts != list(CARD_PARTS):
        yield f"its sections are {', '.join(parts) or 'missing'}; they should be {', '.join(CARD_PARTS)}"
    if f"- {scenario.version}: " not in text.partition("## Version history")[2]:
        yield f"its version history has no line `- {scenario.version}: …`"


CLAIMS: Final = (
    OfScenario("It has a name, a version, a title and a summary", names_itself),
    OfScenario("Its environment card (README.md) has every section", has_a_card),
)
