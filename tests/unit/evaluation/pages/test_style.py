"""Colors of the style sheet: readable in both schemes, and apart for people who see fewer of them."""

import re
from itertools import combinations, product

import pytest

from companyos.evaluation.pages import STYLE

Color = tuple[float, float, float]

SCHEMES = ("light", "dark")
#: How much darker or lighter (WCAG 2.2, 1.4.3 and 1.4.11).
TEXT, GRAPHIC = 4.5, 3.0
#: Simulated color vision (Machado, Oliveira & Fernandes 2009, severity 1), on linear RGB.
VISION = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
}
#: Runs compared most often; the others have shapes of their own as well.
RUNS = ("run-1", "run-2", "run-3", "run-4")
LEAST_DISTANCE = 12.0


def colors() -> dict[str, tuple[Color, Color]]:
    """Return every color of the style sheet by its name, light and dark, in linear RGB."""
    pairs = re.findall(r"--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\)", STYLE)
    return {name: (linear(light), linear(dark)) for name, light, dark in pairs}


def linear(code: str) -> Color:
    channels = [int(code[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels
    )
    return red, green, blue


def luminance(color: Color) -> float:
    return 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]


def contrast(first: Color, second: Color) -> float:
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def seen(color: Color, vision: str) -> Color:
    red, green, blue = (
        min(max(sum(weight * part for weight, part in zip(row, color, strict=True)), 0.0), 1.0)
        for row in VISION[vision]
    )
    return red, green, blue


def lab(color: Color) -> Color:
    """Return a color in CIELAB, in which distances are about what people see."""
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    ratios = [
        sum(weight * part for weight, part in zip(row, color, strict=True)) / full
        for row, full in zip(rows, white, strict=True)
    ]
    x, y, z = (ratio ** (1 / 3) if ratio > 0.008856 else 7.787 * ratio + 16 / 116 for ratio in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(first: Color, second: Color) -> float:
    return sum((a - b) ** 2 for a, b in zip(lab(first), lab(second), strict=True)) ** 0.5


COLORS = colors()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["ink", "soft", "accent", "good", "bad", "warn"])
def test_text_is_readable_on_every_ground(name: str, scheme: str) -> None:
    at = SCHEMES.index(scheme)

    for ground in ("page", "card", "wash"):
        assert contrast(COLORS[name][at], COLORS[ground][at]) >= TEXT, ground


@pytest.mark.parametrize("scheme", SCHEMES)
def test_marks_of_charts_stand_out_from_the_page(scheme: str) -> None:
    at = SCHEMES.index(scheme)
    marks = [name for name in COLORS if name.startswith(("run-", "end-"))]

    assert len(marks) == 14
    assert [name for name in marks if contrast(COLORS[name][at], COLORS["page"][at]) < GRAPHIC] == []


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_runs_are_told_apart_by_those_who_see_fewer_colors(scheme: str, vision: str) -> None:
    at = SCHEMES.index(scheme)
    shown = {name: seen(COLORS[name][at], vision) for name in RUNS}

    close = [
        pair for pair in combinations(RUNS, 2) if distance(shown[pair[0]], shown[pair[1]]) < LEAST_DISTANCE
    ]

    assert close == []


def test_every_color_that_is_used_exists() -> None:
    used = set(re.findall(r"var\(--([\w-]+)\)", STYLE))

    assert used - COLORS.keys() - {"mono"} == set()
    assert set(product(("run",), "123456")) == {
        tuple(name.split("-")) for name in COLORS if name.startswith("run-")
    }
