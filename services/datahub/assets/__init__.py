"""Assets: what the company hands out to its people, and the clearance that each of them has."""

from companyos.chassis import Area

from .events import AssetAssigned, AssetReturned, ClearanceChanged
from .routes import assets, clearances

AREA = Area(routers=[assets, clearances], publishes=[AssetAssigned, AssetReturned, ClearanceChanged])
