"""What all pages share: one style sheet, one way to write numbers, and templates that escape everything."""

from .templates import STYLE, templates

__all__ = ["STYLE", "templates"]
