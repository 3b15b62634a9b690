"""Charts: static SVG whose colors are the page's, and whose text cannot be anything but text."""

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import pytest

from companyos.evaluation.report import charts
from companyos.evaluation.report.drawing import drawn
from companyos.evaluation.report.tables import Chart

GROUPS = ["vendor_onboarding", "all scenarios"]
HOSTILE = '</text><script>alert(1)</script>" onload="x'
RATES = [
    {"group": group, "run": run, "rate": 0.5, "low": 0.25, "high": 0.75} for group in GROUPS for run in (1, 2)
]
SPECS: Mapping[str, Mapping[str, Any]] = {
    "intervals": charts.intervals(RATES, groups=GROUPS),
    "curves": charts.curves(
        [{**row, "level": str(level)} for row in RATES for level in (0, 3)], levels=[0, 3]
    ),
    "gaps": charts.gaps(
        [{"group": group, "run": 1, "success": 0.8, "pairs": 0.5} for group in GROUPS], groups=GROUPS
    ),
    "bars": charts.bars([{"group": group, "run": 1, "rate": 0.3} for group in GROUPS], groups=GROUPS),
    "stacks": charts.stacks(
        [{"group": "a", "part": part, "rate": 0.5} for part in ("x", "y")],
        groups=["a"],
        parts={"x": "var(--end-solved)", "y": "var(--end-wrong)"},
    ),
    "spreads": charts.spreads(
        [{"group": group, "run": 1, "value": value} for group in GROUPS for value in (1.0, 1.2)],
        groups=GROUPS,
    ),
}


def svg_of(spec: Mapping[str, Any], anchor: str = "here-1") -> str:
    return str(drawn(Chart("A title", "What it shows.", spec), anchor))


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg.replace("<svg ", '<svg xmlns:xlink="x" ', 1))


@pytest.mark.parametrize("name", SPECS)
def test_a_chart_is_a_whole_picture_with_a_title_and_a_description(name: str) -> None:
    picture = parsed(svg_of(SPECS[name]))

    assert picture.attrib["role"] == "img"
    assert picture.attrib["aria-labelledby"] == "here-1-title here-1-description"
    assert [child.tag for child in picture][:2] == ["title", "desc"]
    assert [picture[0].text, picture[1].text] == ["A title", "What it shows."]


@pytest.mark.parametrize("name", SPECS)
def test_marks_have_colors_that_the_page_decides(name: str) -> None:
    marks = re.findall(
        r'class="mark-(?:symbol|rule|rect|line|tick)[^>]*role-mark.*?</g>', svg_of(SPECS[name])
    )
    used = {color for mark in marks for color in re.findall(r'(?:fill|stroke)="([^"]+)"', mark)}

    assert used
    assert {color for color in used if not color.startswith("var(--")} <= {"none", "transparent"}


@pytest.mark.parametrize("name", SPECS)
def test_charts_load_and_run_nothing(name: str) -> None:
    found = re.findall(
        r"<script|<image|<foreignObject|\son\w+=|https?://(?!www\.w3\.org/)", svg_of(SPECS[name])
    )

    assert found == []


def test_text_of_runs_and_scenarios_stays_text() -> None:
    picture = parsed(svg_of(charts.bars([{"group": HOSTILE, "run": 1, "rate": 1.0}], groups=[HOSTILE])))

    assert {element.tag for element in picture.iter()} & {
        "script",
        "{http://www.w3.org/2000/svg}script",
    } == set()
    assert [element for element in picture.iter() if "onload" in element.attrib] == []
    assert HOSTILE in {element.text for element in picture.iter()}


def test_runs_differ_by_shape_as_well_as_by_color() -> None:
    picture = svg_of(SPECS["intervals"])
    points = re.findall(r'<path aria-label="[^"]*run: (\d)[^>]*? d="([^"]+)" fill="([^"]+)"', picture)
    looks = {run: (path, color) for run, path, color in points}

    assert looks.keys() == {"1", "2"}
    assert looks["1"][0] != looks["2"][0]
    assert looks["1"][1] != looks["2"][1]


def test_rates_are_drawn_on_the_whole_scale() -> None:
    for spec in (SPECS["intervals"], SPECS["curves"], SPECS["gaps"]):
        labels = re.findall(r">(\d+%)</text>", svg_of(spec))

        assert {"0%", "100%"} <= set(labels)
