"""Live view of the demo: one progress bar per agent and scenario."""

from collections.abc import Iterable

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from .play import Played

REFRESHES_PER_S = 12
BAR_WIDTH = 16

Cell = tuple[str, str]


def show_live(steps: Iterable[Played], console: Console | None = None) -> list[Played]:
    """Draw every step in its row and return how each episode ended."""
    latest: dict[Cell, Played] = {}
    finished = []
    with Live(console=console, refresh_per_second=REFRESHES_PER_S, transient=True) as live:
        for step in steps:
            latest[step.scenario, step.agent] = step
            live.update(drawn(latest))
            if step.success is not None:
                finished.append(step)
    return finished


def drawn(latest: dict[Cell, Played]) -> Table:
    """Build the table of each agent's latest step in each scenario."""
    table = Table.grid(padding=(0, 2))
    for _ in range(5):
        table.add_column(no_wrap=True)
    for step in latest.values():
        bar = ProgressBar(total=step.max_steps, completed=step.steps, width=BAR_WIDTH)
        score = f"{step.steps:>3}/{step.max_steps} {step.episode_return:+7.2f}"
        table.add_row(f"  {step.scenario}", step.agent, bar, score, _outcome(step))
    return table


def _outcome(step: Played) -> Text:
    if step.success is None:
        return Text("…")
    if step.invalid:
        return Text("invalid", style="yellow")
    return Text("succeeded", style="green") if step.success else Text("failed", style="red")
