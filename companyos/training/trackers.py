"""Shows curves in the tools in which people follow their trainings, where these are installed."""

from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

#: Shows the numbers of an update.
Track = Callable[[int, Mapping[str, float]], None]
#: The project under which trackio lists the runs.
PROJECT = "companyos"


def installed_trackers(run: Path, saved: int | None) -> list[Track]:
    """Return what shows the curve of a run, in TensorBoard and in trackio.

    Args:
        run: Folder of the run, where TensorBoard finds it; its name is the run's in trackio.
        saved: The update after which an interrupted run goes on, and replaces what it showed; None if it begins.
    """
    known = {"tensorboard": _tensorboard, "trackio": _trackio}
    return [begin(run, saved) for package, begin in known.items() if find_spec(package)]


def numbers_of(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers among metrics, those of a table named `table/row`."""
    return dict(_numbers(metrics, ""))


def _numbers(metrics: Mapping[str, Any], within: str) -> Iterator[tuple[str, float]]:
    for name, value in metrics.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{within}{name}/")
        elif isinstance(value, int | float):
            yield within + name, float(value)


def _tensorboard(run: Path, saved: int | None) -> Track:
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(run), purge_step=None if saved is None else saved + 1)

    def track(update: int, numbers: Mapping[str, float]) -> None:
        for name, number in numbers.items():
            writer.add_scalar(name, number, update)
        writer.flush()

    return track


def _trackio(run: Path, saved: int | None) -> Track:
    import trackio

    # trackio keeps every line it was sent: an interrupted run goes on under a name of its own.
    name = run.name if saved is None else f"{run.name}, after update {saved}"
    shown = trackio.init(project=PROJECT, name=name, resume="allow")
    return lambda update, numbers: shown.log(dict(numbers), step=update)
