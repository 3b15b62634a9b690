"""Assets that the company hands out to its people, and the clearance level of each person."""

from companyos.chassis import Area

from .events import AssetAssigned, AssetReturned, ClearanceChanged
from .routes import assets, clearances

AREA = Area(routers=[assets, clearances], publishes=[AssetAssigned, AssetReturned, ClearanceChanged])
