"""The reference pages, by file name."""

from docs import access, trainer_api

from . import events, faults, refusals, rewards, scenarios, settings, tools
from .markdown import document


def pages() -> dict[str, str]:
    """Return the text of every reference page by file name."""
    return {
        "tools.md": tools.page(),
        "refusals.md": refusals.page(),
        "events.md": events.page(),
        "faults.md": faults.page(),
        "settings.md": settings.page(),
        "scenarios.md": scenarios.page(),
        "access.md": document("Access", access.TEXT, access.page()),
        "trainer-api.md": document("Trainer API", trainer_api.TEXT, trainer_api.page()),
        "rewards.md": rewards.page(),
    }
