"""Datasets: tables of rows that metrics are computed from, and a bounded query over them."""

from companyos.chassis import Area

from .routes import datasets

AREA = Area(routers=[datasets])
