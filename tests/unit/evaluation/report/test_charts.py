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


def test_the_names_in_two_charts_of_a_page_do_not_meet() -> None:
    first, second = (
        set(re.findall(r'\bid="([^"]+)"', svg_of(SPECS["curves"], each))) for each in ("a-1", "b-1")
    )

    assert first.isdisjoint(second)


def test_the_same_numbers_draw_the_same_picture() -> None:
    assert svg_of(SPECS["intervals"]) == svg_of(SPECS["intervals"])


def test_runs_differ_by_shape_as_well_as_by_color() -> None:
    picture = svg_of(SPECS["intervals"])
    points = re.findall(r'<path aria-label="[^"]*run: (\d)[^>]*? d="([^"]+)" fill="([^"]+)"', picture)
    looks = {run: (path, color) for run, path, color in points}

    assert looks.keys() == {"1", "2"}
    assert looks["1"][0] != looks["2"][0]
    assert looks["1"][1] != looks["2"][1]


def test_groups_stand_in_the_order_given() -> None:
    names = ["c", "a", "b"]
    picture = svg_of(
        charts.bars([{"group": name, "run": 1, "rate": 0.5} for name in sorted(names)], groups=names)
    )

    assert [text for text in re.findall(r">([^<>]+)</text>", picture) if text in names] == names


def test_rates_are_drawn_on_the_whole_scale() -> None:
    for spec in (SPECS["intervals"], SPECS["curves"], SPECS["gaps"]):
        labels = re.findall(r">(\d+%)</text>", svg_of(spec))

        assert {"0%", "100%"} <= set(labels)


def test_the_steps_of_the_oracle_are_always_in_sight() -> None:
    for values in ([1.3, 1.4], [0.8, 0.9], [1.0], [4.0]):
        rows = [{"group": "a", "run": 1, "value": value} for value in values]

        assert ">1×</text>" in svg_of(charts.spreads(rows, groups=["a"]))


def test_long_names_leave_room_for_the_chart() -> None:
    long = "a_scenario_whose_name_is_as_long_as_a_name_can_be_" * 2
    rows = [{"group": long, "run": 1, "rate": 0.5, "low": 0.2, "high": 0.8}]

    width = float(parsed(svg_of(charts.intervals(rows, groups=[long]))).attrib["width"])

    assert 440 <= width <= 500


def test_parts_of_a_bar_stand_in_the_order_of_the_key() -> None:
    colors = {"late": "var(--end-timeout)", "early": "var(--end-solved)"}
    rows = [{"group": "a", "part": part, "rate": 0.5} for part in sorted(colors)]
    picture = svg_of(charts.stacks(rows, groups=["a"], parts=colors))
    bars = re.findall(r'aria-label="[^"]*part: (\w+)[^"]*"[^>]* d="M([\d.]+)', picture)

    assert sorted(bars, key=lambda bar: float(bar[1])) == sorted(
        bars, key=lambda bar: list(colors).index(bar[0])
    )


def test_more_runs_than_colors_start_again() -> None:
    count = len(charts.RUN_COLORS) + 1
    rows = [{"group": "a", "run": run, "rate": 0.5, "low": 0.4, "high": 0.6} for run in range(1, count + 1)]
    points = re.findall(r'run: (\d+)[^>]*? fill="(var[^"]+)"', svg_of(charts.intervals(rows, groups=["a"])))

    assert dict(points)[str(count)] == dict(points)["1"] == charts.RUN_COLORS[0]
