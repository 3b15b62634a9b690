"""Ray: cells on the nodes of a cluster, each a whole stack that lives as long as its actor.

with Cells.start() as cells:
    env = CompanyosEnv(cells.urls, token=cells.token)
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Self

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.placement_group import PlacementGroup, placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home

from .tasks import connected

#: Longest wait for the processors that cells need, and for the stop of one, in seconds.
PLACED_S: Final = 60.0
STOPPED_S: Final = 60.0


class CellsNotStarted(Exception):
    """The cells cannot be had on this cluster; the message says why, and what would help."""


@dataclass(frozen=True)
class CellPlace:
    """Where a cell runs.

    Attributes:
        node: The id of Ray's node.
        url: The URL of its trainer API.
    """

    node: str
    url: str


class Cell:
    """An actor that runs one stack on its node. The stack ends with the actor's process, however that ends.

    Args:
        name: The cell's name.
        settings: Settings of the stack, by variable.
    """

    def __init__(self, name: str, settings: Mapping[str, str]) -> None:
        host = ray.util.get_node_ip_address()
        os.environ.update(settings, COMPANYOS_CELL=name, COMPANYOS_HOST=host)
        self._open = ExitStack()

    def start(self) -> CellPlace:
        """Start the stack in a folder of its own, and return where it is.

        Raises:
            Misuse: A setting is invalid.
            StackError: The stack did not start.
        """
        folder = self._open.enter_context(TemporaryDirectory(prefix="companyos-cell-"))
        status = self._open.enter_context(running_stack(Home(Path(folder))))
        return CellPlace(ray.get_runtime_context().get_node_id(), status.url)

    def stop(self) -> None:
        """Stop the stack and delete its folder."""
        self._open.close()


@dataclass(frozen=True)
class Cells:
    """Cells on the nodes of a cluster, and how to reach them. Tasks and actors may be given it.

    Attributes:
        places: Where they run.
        token: The trainer token of all.
    """

    places: tuple[CellPlace, ...]
    token: str = field(repr=False)

    @property
    def urls(self) -> list[str]:
        """The URLs of all cells, for clients that place their episodes."""
        return [place.url for place in self.places]

    def here(self) -> list[str]:
        """Return the URLs of the cells on the node of the calling task, actor or driver, or of all if it has none."""
        node = ray.get_runtime_context().get_node_id()
        return [place.url for place in self.places if place.node == node] or self.urls

    @classmethod
    @contextmanager
    def start(
        cls, count: int | None = None, *, processors: float = 1, settings: Mapping[str, str] | None = None
    ) -> Iterator[Self]:
        """Yield cells spread over the cluster at RAY_ADDRESS, or a local one, which end with this context.

        A cell whose node is lost is not replaced: clients of several cells go on with the others.

        Args:
            count: How many; by default one for each node.
            processors: Processors that Ray sets aside for each. A cell in full use keeps two busy.
            settings: Settings of each, such as `COMPANYOS_SALT`, by variable.

        Raises:
            CellsNotStarted: There are too few processors, or a stack did not start.
        """
        given = dict(settings or {})
        token = given.setdefault("COMPANYOS_TRAINER_TOKEN", secrets.token_urlsafe(32))
        with connected(), _group(count or _nodes(), processors) as group:
            cells = [_cell_on(group, number, given) for number in range(group.bundle_count)]
            try:
                yield cls(_started(cells), token)
            finally:
                _stop(cells)


def _nodes() -> int:
    return sum(node["Alive"] for node in ray.nodes())


@contextmanager
def _group(count: int, processors: float) -> Iterator[PlacementGroup]:
    """Yield processors for so many cells, on as many nodes as possible."""
    there = ray.cluster_resources().get("CPU", 0.0)
    if count * processors > there - 1:
        raise CellsNotStarted(
            f"{count} cells with {processors:g} processors each leave none of this cluster's {there:g} to whoever "
            "plays. Start fewer cells, or set aside fewer processors for each."
        )
    group = placement_group([{"CPU": processors}] * count, strategy="SPREAD")
    try:
        if not group.wait(PLACED_S):
            raise CellsNotStarted(
                f"The processors of {count} cells were not free within {PLACED_S:g} s. Start fewer cells, or wait "
                "until other work on the cluster has ended."
            )
        yield group
    finally:
        remove_placement_group(group)


def _cell_on(group: PlacementGroup, number: int, settings: Mapping[str, str]) -> Any:
    where = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=number)
    processors = group.bundle_specs[number]["CPU"]
    actor = ray.remote(num_cpus=processors, scheduling_strategy=where)(Cell)
    return actor.remote(f"cell-{number}", settings)


def _started(cells: Sequence[Any]) -> tuple[CellPlace, ...]:
    try:
        return tuple(ray.get([cell.start.remote() for cell in cells]))
    except RayTaskError as failure:
        raise CellsNotStarted(str(failure.cause)) from failure
    except RayError as failure:
        raise CellsNotStarted(f"A cell was lost while it started: {failure}") from failure


def _stop(cells: Sequence[Any]) -> None:
    """Stop the cells that are still there."""
    for stopped in [cell.stop.remote() for cell in cells]:
        # The cell's node may be gone, and its stack with it.
        with suppress(RayError):
            ray.get(stopped, timeout=STOPPED_S)
