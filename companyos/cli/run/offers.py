"""What the server of a run has: its scenarios, or the instance of a snapshot."""

from dataclasses import replace
from urllib.parse import quote

import typer

from companyos.client import Refused
from companyos.evaluation.runs import RunRequest
from companyos.evaluation.runs.connection import TrainerConnection

from ..commands.run_options import RunOptions
from .options import names_in_split


async def as_offered(connection: TrainerConnection, request: RunRequest, options: RunOptions) -> RunRequest:
    """Return the request with the versions of the server's scenarios.

    Raises:
        typer.BadParameter: The server has no such scenario, has another version than the agent knows, or the
            scenario is not in the split.
    """
    if request.snapshot is not None:
        return await _of_snapshot(connection, request, request.snapshot)
    listed = await connection.get("/scenarios")
    offered = {one["name"]: one["version"] for one in listed}
    named = list(request.scenarios) or options.episodes.named_scenarios
    if missing := [name for name in named if name not in offered]:
        text = f"{connection.url} has no scenario {missing[0]!r}; it has {', '.join(offered)}"
        raise typer.BadParameter(text, param_hint="scenarios")
    wanted = names_in_split({one["name"]: one["splits"] for one in listed}, named, options.episodes.split)
    for name, version in request.scenarios.items():
        if version != offered[name]:
            message = f"{connection.url} has version {offered[name]} of {name}, and version {version} is installed here"
            raise typer.BadParameter(message, param_hint="--url")
    return request.with_scenarios({name: offered[name] for name in wanted})


async def _of_snapshot(connection: TrainerConnection, request: RunRequest, snapshot: str) -> RunRequest:
    """Return the request with the instance of its snapshot.

    Raises:
        typer.BadParameter: The server has no such snapshot.
    """
    try:
        taken = await connection.get(f"/snapshots/{quote(snapshot, safe='')}")
    except Refused as refusal:
        raise typer.BadParameter(f"{connection.url}: {refusal}", param_hint="--snapshot") from None
    scenarios = {taken["scenario"]: taken["version"]}
    return replace(request, scenarios=scenarios, seeds=(taken["seed"],), chaos=(taken["chaos"],))
