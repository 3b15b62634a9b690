"""`companyos --help` imports next to nothing: what a command does is imported when it is called."""

import json
import subprocess
import sys

import pytest

from companyos.sdk import stackpath

SHOW = """
import json, sys
from companyos.cli import main
sys.argv = ["companyos", *sys.argv[1:]]
try:
    main()
except SystemExit:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
#: What the command line itself is made of.
LIGHT = {
    "companyos",
    "companyos.cli",
    "companyos.cli.app",
    "companyos.cli.summaries",
    "companyos.embedded",
    "companyos.embedded.errors",
    "companyos.embedded.programs",
    "companyos.embedded.programs.standard_streams",
    "companyos.sdk",
    "companyos.sdk.plain_numbers",
    "companyos.sdk.scenario_sources",
    "companyos.sdk.stackpath",
    "companyos.version",
}
OURS = ("companyos", "orchestrator", "services", "scenarios")


def imported(*arguments: str) -> set[str]:
    """Return the modules that a process has imported when the command line ends."""
    ended = subprocess.run(
        [sys.executable, "-c", SHOW, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=stackpath.environment(),
    )
    return set(json.loads(ended.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["scenario", "--help"], ["--version"]])
def test_help_imports_the_declarations_of_commands_alone(arguments: list[str]) -> None:
    ours = {module for module in imported(*arguments) if module.split(".")[0] in OURS}

    assert {module for module in ours if not module.startswith("companyos.cli.commands")} <= LIGHT


def test_help_imports_no_library_but_that_of_the_command_line() -> None:
    libraries = {module.split(".")[0] for module in imported("--help")} - sys.stdlib_module_names

    # A process that records its statements for the tests begins with their `sitecustomize`.
    assert {name for name in libraries if not name.startswith("_")} <= {
        "annotated_doc",
        "companyos",
        "shellingham",
        "sitecustomize",
        "typer",
        "typing_extensions",
    }
