"""Reports: one page about one run or several side by side, complete in itself, for reading and for showing."""

from .page import report_page, write_report

__all__ = ["report_page", "write_report"]
