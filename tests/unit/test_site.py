"""The site has every page of the documentation, and every file that a page links to."""

from pathlib import Path

from docs.site import ROOT, gather, linked_files, pages


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
