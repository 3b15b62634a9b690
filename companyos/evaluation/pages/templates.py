"""Page templates that escape every value, because agents write some of them."""

from importlib.resources import files
from typing import Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from . import formats

#: The style sheet of every page; a report embeds it, the viewer serves it.
STYLE: Final = (files(__package__) / "style.css").read_text(encoding="utf-8")


def templates(package: str) -> Environment:
    """Return the templates in a package's folder `templates`, with the filters of `formats` and every page's macros."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(__package__, "macros")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({name: getattr(formats, name) for name in formats.FILTERS})
    return environment
