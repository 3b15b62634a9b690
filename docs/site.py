"""Gathers what the site shows in one folder, `build/site-pages`: the pages, and every file that they link to.

    python -m docs.site

The tree is that of the repository, so that the links are, too. `make site` builds the site from it.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "build" / "site-pages"
#: The page of the Python package, which is written from docstrings while the site is built.
PACKAGE_PAGE: Final = Path("docs", "reference", "python.md")
#: What users import, in the order of the page.
PACKAGE: Final = (
    "companyos.client.CompanyosEnv",
    "companyos.client.AsyncCompanyosEnv",
    "companyos.client.Result",
    "companyos.client.errors",
    "companyos.sdk.scenario",
)
_LINK: Final = re.compile(r"\]\((?!https?:|#)([^)#\s]+)|(?:src|srcset)=\"(?!https?:)([^\"]+)\"")


def pages() -> Iterator[Path]:
    """Yield every page of the site."""
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"))
    yield from sorted((ROOT / "docs").rglob("*.md"))
    yield from sorted((ROOT / "scenarios").glob("*/README.md"))


def linked_files(page: Path) -> Iterator[Path]:
    """Yield the files of the repository that a page links to or shows."""
    for found in _LINK.finditer(page.read_text(encoding="utf-8")):
        target = (page.parent / (found[1] or found[2])).resolve()
        if target.is_file() and target.is_relative_to(ROOT):
            yield target


def gather(folder: Path) -> None:
    """Fill a folder, anew, with the pages and what they link to."""
    shutil.rmtree(folder, ignore_errors=True)
    for page in pages():
        for file in (page, *linked_files(page)):
            place = folder / file.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    (folder / PACKAGE_PAGE).write_text(package_page(), encoding="utf-8")


def package_page() -> str:
    """Return the page of the Python package, as instructions for mkdocstrings."""
    return "\n\n".join(["# Python package", *(f"::: {name}" for name in PACKAGE)]) + "\n"


if __name__ == "__main__":
    gather(FOLDER)
