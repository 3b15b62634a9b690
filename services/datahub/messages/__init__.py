"""DataHub's messages: the mail of people and teams, and the answers of colleagues."""

from companyos.chassis import Area

from .handlers import reactions
from .routes import messages

AREA = Area(routers=[messages], reactions=reactions)
