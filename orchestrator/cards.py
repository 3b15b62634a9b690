"""Environment cards: what a trainer reads of a scenario before using it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from companyos.scenario import Scenario


def listed(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as lists show it."""
    return {
        "name": scenario.name,
        "version": scenario.version,
        "title": scenario.title,
        "summary": scenario.summary,
    }


def environment_card(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario with the text of its README, empty if it has none."""
    readme = _folder(scenario) / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    return {**listed(scenario), "readme": text}


def _folder(scenario: Scenario) -> Path:
    return Path(str(sys.modules[type(scenario).__module__].__file__)).parent
