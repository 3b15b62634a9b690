"""DataHub's messages: the mails that people and teams get, and what colleagues answer."""

from companyos.chassis import Area

from .handlers import reactions
from .routes import messages

AREA = Area(routers=[messages], reactions=reactions)
