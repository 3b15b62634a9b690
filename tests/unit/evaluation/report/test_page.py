"""The page of a report: complete in itself, and nothing in it but what was written."""

import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from companyos.evaluation.report import report_page, write_report
from companyos.evaluation.runs import AgentSpec, EpisodeEnding, PredicateKind, PredicateResult
from tests.unit.evaluation.runs.samples import record

from .samples import mixed, written

HOSTILE = '<script>alert("x")</script>'
VOID = {"meta", "link", "br", "input", "path", "rect", "line"}


class PageOutline(HTMLParser):
    """Headings, ids and elements of a page; fails on elements that are not closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.references: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.tags.append(tag)
        self.ids += [told["id"]] if told.get("id") else []  # type: ignore[list-item]
        self.links += [told["href"]] if told.get("href") else []  # type: ignore[list-item]
        self.references += str(told.get("aria-labelledby") or "").split()
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag


@pytest.fixture
def page(tmp_path: Path) -> str:
    return report_page([written(tmp_path / "a", mixed()), written(tmp_path / "b", mixed(), name="another")])


def test_a_report_loads_nothing_and_runs_nothing(page: str) -> None:
    outline = PageOutline(page)

    assert {"script", "img", "iframe", "link", "object"}.isdisjoint(outline.tags)
    assert all(link.startswith("#") for link in outline.links)
    assert "@import" not in page
    assert "url(" not in page.replace("url(#", "")
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'\"" in page


def test_a_report_is_well_formed_and_its_names_are_unique(page: str) -> None:
    outline = PageOutline(page)

    assert outline.tags.count("h1") == 1
    assert len(outline.ids) == len(set(outline.ids))
    assert {link[1:] for link in outline.links} <= set(outline.ids)
    assert set(outline.references) <= set(outline.ids)


def test_every_chart_has_a_table_beside_it(page: str) -> None:
    sections = page.split("<section ")[1:]
    charted = [section for section in sections if "<figure>" in section]

    assert len(charted) == 7
    assert all("<table>" in section for section in charted)


def test_page_describes_the_runs(page: str) -> None:
    for told in ("a-model", "another", "one 1, two 1", "40 steps", "run --agent openai", "2026-11-22"):
        assert told in page


def test_text_of_a_run_is_escaped(tmp_path: Path) -> None:
    predicate = PredicateResult(HOSTILE, PredicateKind.MUST, False, HOSTILE)
    records = [record(seed, scenario=HOSTILE, predicates=(predicate,)) for seed in (0, 1)]
    run = written(
        tmp_path / "run", records, name=HOSTILE, agent=AgentSpec("command", HOSTILE, {HOSTILE: HOSTILE})
    )

    page = report_page([run, run])

    assert "<script" not in page
    assert PageOutline(page).tags.count("h1") == 1


def test_without_the_library_that_draws_there_are_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)

    page = report_page([written(tmp_path / "run", mixed())])

    assert "<figure>" not in page
    assert "pip install &#39;openenv-companyos[report]&#39;" in page
    assert page.count("<table>") >= 8


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    run, path = written(tmp_path / "run", mixed()), tmp_path / "report.html"

    write_report([run], path)

    assert path.read_text(encoding="utf-8") == report_page([run])
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".part"] == []


def test_a_run_without_episodes_that_count_is_still_a_report(tmp_path: Path) -> None:
    lost = [record(seed, ended=EpisodeEnding.ENVIRONMENT_FAILURE) for seed in (0, 1)]

    page = report_page([written(tmp_path / "run", lost)])

    assert "a-model solved 0 of 0 episodes (–)." in page
    assert "In 2 episodes the environment failed" in page


def test_reports_of_equal_runs_are_equal(tmp_path: Path) -> None:
    first, second = (written(tmp_path / folder / "run", mixed()) for folder in ("a", "b"))

    assert report_page([first]) == report_page([second])
