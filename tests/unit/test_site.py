"""The site has every page of the documentation, and every file that a page links to."""

from pathlib import Path
from pkgutil import resolve_name

from docs.site import PACKAGE, PACKAGE_PAGE, ROOT, gather, linked_files, pages


def test_the_gathered_pages_link_to_nothing_that_is_not_gathered(tmp_path: Path) -> None:
    folder = tmp_path / "pages"

    gather(folder)

    linked = {file.relative_to(ROOT) for page in pages() for file in linked_files(page)}
    assert Path("docs/explanation/step-dark.png") in linked
    assert Path("tests/integration/worlds/test_fork_law.py") in linked
    assert [file for file in linked if not (folder / file).is_file()] == []
    assert {page.relative_to(ROOT) for page in pages()} <= {
        file.relative_to(folder) for file in folder.rglob("*.md")
    }


def test_the_page_of_the_package_documents_what_users_import(tmp_path: Path) -> None:
    gather(tmp_path / "pages")

    page = (tmp_path / "pages" / PACKAGE_PAGE).read_text(encoding="utf-8")

    assert [line.removeprefix("::: ") for line in page.splitlines() if line.startswith(":::")] == list(
        PACKAGE
    )
    assert all(resolve_name(name).__doc__ for name in PACKAGE)
