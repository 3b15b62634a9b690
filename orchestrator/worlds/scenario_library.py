"""The installed scenarios: found by name, listed, and described by their environment cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companyos.sdk.scenario import Scenario, ScenariosUnusable, ScenarioUnknown, folder_of, source_digest

from ..protocol.problems import Refusal, ScenarioFailed


class ScenarioLibrary:
    """Scenarios by name.

    Args:
        load: Returns the scenarios; called at the first use, because it imports them.
    """

    def __init__(self, load: Callable[[], Mapping[str, Scenario]]) -> None:
        self._load = load

    def find(self, name: str) -> Scenario:
        """Return the scenario of this name.

        Raises:
            Refusal: 404 scenario_unknown, naming the existing ones; 500 scenario_failed.
        """
        scenarios = self._scenarios()
        if name not in scenarios:
            detail = str(ScenarioUnknown(name, list(scenarios)))
            raise Refusal(404, "scenario_unknown", detail, field="scenario")
        return scenarios[name]

    def listed(self) -> list[dict[str, Any]]:
        """Return name, version, source digest, title, summary and splits of every scenario, by name."""
        return [_summary_of(scenario) for scenario in self._scenarios().values()]

    def _scenarios(self) -> Mapping[str, Scenario]:
        try:
            return self._load()
        except ScenariosUnusable as unusable:
            raise Refusal(500, ScenarioFailed.code, str(unusable)) from unusable

    def card(self, name: str) -> dict[str, Any]:
        """Return a scenario as listed, with the text of its README, or empty text.

        Raises:
            Refusal: 404 scenario_unknown.
        """
        scenario = self.find(name)
        readme = folder_of(scenario) / "README.md"
        text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
        return {**_summary_of(scenario), "readme": text}


def _summary_of(scenario: Scenario) -> dict[str, Any]:
    return {
        "name": scenario.name,
        "version": scenario.version,
        "source": source_digest(folder_of(scenario)),
        "title": scenario.title,
        "summary": scenario.summary,
        "splits": list(scenario.splits),
    }
