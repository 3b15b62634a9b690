"""Draws charts as static SVG with vl-convert, which needs neither a browser nor a network."""

import re
from collections import defaultdict
from itertools import count
from typing import Final

from markupsafe import Markup, escape

from .tables import Chart

#: How to install the drawing library.
INSTALL: Final = "pip install 'openenv-companyos[report]'"

_OPENING: Final = re.compile(r"<svg [^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\"[^>]*>")
_NAME: Final = re.compile(r'\b(id="|url\(#|href="#)([\w-]+)')


def can_draw() -> bool:
    """Return whether the drawing library is installed."""
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        return False
    return True


def drawn(chart: Chart, anchor: str) -> Markup:
    """Return a chart as an SVG element to embed in a page.

    Args:
        chart: The chart.
        anchor: Prefix of every name in it, because a page has one namespace.

    Equal charts give equal elements.
    """
    import vl_convert

    svg = vl_convert.vegalite_to_svg(dict(chart.spec), allowed_base_urls=[])
    opening = _OPENING.match(svg)
    assert opening is not None, svg[:200]
    width, height = (round(float(size)) for size in opening.groups())
    names = count(1)
    # Vega's counter for names never restarts; here names depend on the chart alone.
    renamed: dict[str, str] = defaultdict(lambda: f"{anchor}-{next(names)}")
    named = _NAME.sub(lambda found: found[1] + renamed[found[2]], svg[opening.end() :])
    return Markup(  # noqa: S704 - Vega escapes all text
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-labelledby="{anchor}-title {anchor}-description">'
        f'<title id="{anchor}-title">{escape(chart.title)}</title>'
        f'<desc id="{anchor}-description">{escape(chart.description)}</desc>{named}'
    )
