"""Prints the branch coverage that `coverage` has measured, by package: services, chassis, orchestrator, graders.

Run as `python -m tests.coverage_by_package`; `make coverage` measures first.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

import orjson
from coverage import Coverage

GRADERS = "graders of scenarios"
COUNTS = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def package_of(path: PurePath) -> str | None:
    """Return the package in the report that a file belongs to, or None."""
    first, second, *_ = (*path.parts, "")
    if path.name == "grading.py" and first in ("companyos", "scenarios"):
        return GRADERS
    if first in ("services", "orchestrator") or (first, second) == ("companyos", "chassis"):
        return f"{first}/{second}".removesuffix(".py")
    return None


def measured(document: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return the counts of each package in coverage's JSON report."""
    packages: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
    for path, file in document["files"].items():
        if package := package_of(PurePath(path)):
            for count in COUNTS:
                packages[package][count] += file["summary"][count]
    return dict(sorted(packages.items()))


def table(packages: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield a line for each package: the shares of its branches and of its lines that tests ran."""
    yield f"{'package':28} {'branches':>16} {'lines':>16}"
    for name, found in packages.items():
        branches = _share(found["covered_branches"], found["num_branches"])
        yield f"{name:28} {branches:>16} {_share(found['covered_lines'], found['num_statements']):>16}"


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} {part / whole:6.1%}" if whole else "none"


def main() -> None:
    """Print the table of the measurement in this folder."""
    coverage = Coverage(messages=False)
    coverage.load()
    report = Path(".coverage.json")
    coverage.json_report(outfile=str(report))
    print(*table(measured(orjson.loads(report.read_bytes()))), sep="\n")


if __name__ == "__main__":
    main()
