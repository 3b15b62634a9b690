"""Whether a server offers the scenarios that are installed here."""

from collections.abc import Iterable, Mapping
from typing import Any

from companyos.sdk.scenario import Scenario, folder_of, source_digest

from .runs.connection import TrainerConnection


class NotOffered(LookupError):
    """The server does not offer a scenario, or offers a different one. The message says how it differs."""


async def check_offered(connection: TrainerConnection, scenarios: Iterable[Scenario]) -> None:
    """Raise NotOffered unless the server offers all these scenarios with this version and code."""
    refuse_others(await connection.get("/scenarios"), scenarios)


def refuse_others(listed: Iterable[Mapping[str, Any]], scenarios: Iterable[Scenario]) -> None:
    """Raise NotOffered unless a server's list has all these scenarios with this version and code."""
    offered = {one["name"]: one for one in listed}
    for scenario in scenarios:
        name, version = scenario.name, scenario.version
        if name not in offered:
            raise NotOffered(f"There is no scenario {name} here.")
        if offered[name]["version"] != version:
            raise NotOffered(
                f"{name} is version {offered[name]['version']} here, and {version} was expected."
            )
        if offered[name]["source"] != source_digest(folder_of(scenario)):
            raise NotOffered(f"{name} was edited since this stack loaded it, or is of another release.")
