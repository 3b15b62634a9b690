"""DataHub's documents: handbooks, policies, contracts and minutes, found by full-text search and read by section."""

from companyos.chassis import Area

from .routes import documents

AREA = Area(routers=[documents])
