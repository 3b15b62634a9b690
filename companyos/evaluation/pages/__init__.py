"""What all pages share: the style sheet, number formats, and templates that escape everything."""

from .templates import STYLE, templates

__all__ = ["STYLE", "templates"]
