"""Reports: one self-contained page about one run or several side by side."""

from .page import report_page, write_report

__all__ = ["report_page", "write_report"]
