"""The site is built without a network, and its pages load nothing from elsewhere."""

import re
from pathlib import Path

import pytest

from tests.site_build import build_site

#: The elements with which a page loads something or sends something off; a link that a reader follows does neither.
LOADING = re.compile(r"<(?:script|img|source|iframe|form|object|embed|video|audio)\b[^>]*>|<link\b[^>]*>")
FOREIGN = re.compile(r"""\b(?:src|srcset|href|action|data|poster)\s*=\s*["']?((?:https?:)?//[^"'\s>]+)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    folder = tmp_path_factory.mktemp("site")
    build_site(folder)
    return folder


def foreign_loads(page: str) -> list[str]:
    """Return the addresses of other hosts from which a page loads something."""
    return [found for element in LOADING.findall(page) for found in FOREIGN.findall(element)]


def test_pages_of_the_site_load_nothing_from_elsewhere(site: Path) -> None:
    pages = {path.relative_to(site): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}

    assert {Path("index.html"), Path("docs/explanation/why.md").with_suffix(".html")} <= set(pages)
    assert {path: found for path, page in pages.items() if (found := foreign_loads(page))} == {}
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"')]+)", styles) == []


def test_the_site_documents_the_package_and_can_be_searched(site: Path) -> None:
    assert 'id="companyos.client.CompanyosEnv.fork"' in (site / "docs/reference/python.html").read_text(
        "utf-8"
    )
    assert "counterfactual" in (site / "search/search_index.json").read_text("utf-8")


def test_an_element_that_loads_from_elsewhere_is_found() -> None:
    page = '<script src="https://cdn.example/x.js"></script><a href="https://other.example"></a><img src="/y.png">'

    assert foreign_loads(page) == ["https://cdn.example/x.js"]
