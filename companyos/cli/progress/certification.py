"""The progress of a certification on standard error: a line for each finished level, and a bar on a terminal."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from companyos.evaluation.baselines import Play, Player
from companyos.evaluation.certify import Certification, Progress, Tell


@contextmanager
def progress_shown(wanted: Certification) -> Iterator[Tell]:
    """Yield the function to call with the progress after every play."""
    levels = FinishedLevels(wanted)
    if sys.stderr.isatty():
        with _bar(levels) as tell:
            yield tell
        return
    yield lambda progress: levels.add(progress.latest, lambda line: typer.echo(line, err=True))


class FinishedLevels:
    """Counts the plays of every scenario and level, and says when the last one of a level has finished."""

    def __init__(self, wanted: Certification) -> None:
        self._planned = Counter((part.scenario.name, part.level) for part in wanted.parts)
        self._played: Counter[tuple[str, int]] = Counter()
        self._oracles: dict[tuple[str, int], list[bool]] = {}
        self._finished = 0

    def add(self, play: Play, say: Callable[[str], None]) -> None:
        """Count a play, and say one line if it is the last of its level; replays of the oracle come later."""
        level = play.scenario, play.level
        self._played[level] += 1
        if play.player is Player.ORACLE:
            self._oracles.setdefault(level, []).append(play.success)
        if self._played[level] == self._planned[level]:
            self._finished += 1
            say(self._line(level))

    def _line(self, level: tuple[str, int]) -> str:
        name, chaos = level
        solved = self._oracles.get(level, [])
        oracle = f", the oracle solved {sum(solved)} of {len(solved)}" if solved else ""
        count = f"{self._finished} of {len(self._planned)}"
        return f"{count}: {name} at chaos {chaos}, {self._planned[level]} episodes{oracle}"


@contextmanager
def _bar(levels: FinishedLevels) -> Iterator[Tell]:
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("certifying", total=None)

        def tell(progress: Progress) -> None:
            latest = f"{progress.latest.scenario} {progress.latest.player}"
            bar.update(task, completed=progress.finished, total=progress.planned, description=latest)
            levels.add(progress.latest, lambda line: bar.console.print(line, markup=False, highlight=False))

        yield tell
