"""Runs of `companyos` in processes that are forked from one that has imported it, which spares each run seconds."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from pkgutil import iter_modules

import scenarios
from companyos import cli
from companyos.sdk import stackpath

stackpath.enter()
_FORKING = get_context("forkserver")
_FORKING.set_forkserver_preload(
    [
        __name__,
        *(
            f"{package.__name__}.{module.name}"
            for package in (cli, scenarios)
            for module in iter_modules(package.__path__)
        ),
    ]
)


def run(
    *arguments: str, folder: Path | None = None, typed: str = "", timeout_s: float = 170, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in a folder, with `typed` as its standard input, and return what it printed.

    Raises:
        subprocess.TimeoutExpired: It runs longer than `timeout_s`; it is killed.
    """
    with tempfile.TemporaryDirectory() as streams:
        given, out, err = (Path(streams, name) for name in ("in", "out", "err"))
        given.write_text(typed)
        process = _FORKING.Process(
            target=_play,
            args=(arguments, folder or Path.cwd(), stackpath.environment(**environment), (given, out, err)),
        )
        process.start()
        process.join(timeout_s)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(["companyos", *arguments], timeout_s)
        return subprocess.CompletedProcess(
            ["companyos", *arguments], process.exitcode, out.read_text(), err.read_text()
        )


def _play(
    arguments: Sequence[str], folder: Path, environment: dict[str, str], streams: tuple[Path, Path, Path]
) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate(streams):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    # The child of a fork server has standard streams of its own, which are no longer those of the process.
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.argv = ["companyos", *arguments]
    cli.main()
