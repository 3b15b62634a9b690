"""Colleagues and reporters: what other people are going to do about tickets, and when."""

from companyos.chassis import Area

from .handlers import derive_due, reactions

AREA = Area(routers=[], reactions=reactions, derive=derive_due)

__all__ = ["AREA"]
