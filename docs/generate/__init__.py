"""Generates the pages in docs/reference from the code, and the marked blocks in other pages.

Run `python -m docs.generate` after changing any source; a test compares its output with the committed pages.
"""

from .blocks import blocks, with_block
from .pages import pages

__all__ = ["blocks", "pages", "with_block"]
