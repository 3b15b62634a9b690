"""Datasets: tables of rows from which metrics are computed, and a bounded query over them."""

from companyos.chassis import Area

from .routes import datasets

AREA = Area(routers=[datasets])
