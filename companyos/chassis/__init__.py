"""The chassis: all of a service that is not its business, from the signed context to the commit before the reply."""

from .context import Context
from .errors import PermissionRequired, ServiceError, VersionConflict
from .events import Due, Event, Reactions
from .http import InWorld, ToolRouter
from .permissions import Permissions, permission_table
from .service import Service
from .settings import Settings
from .tables import WorldRow, world_metadata, world_table
from .views import Body, Key, Name, Page, PageOf, PageQuery, SimTime, Text, Version, View, page_of
from .work import UnitOfWork
from .worlds import Query, live

__all__ = [
    "Body",
    "Context",
    "Due",
    "Event",
    "InWorld",
    "Key",
    "Name",
    "Page",
    "PageOf",
    "PageQuery",
    "PermissionRequired",
    "Permissions",
    "Query",
    "Reactions",
    "Service",
    "ServiceError",
    "Settings",
    "SimTime",
    "Text",
    "ToolRouter",
    "UnitOfWork",
    "Version",
    "VersionConflict",
    "View",
    "WorldRow",
    "live",
    "page_of",
    "permission_table",
    "world_metadata",
    "world_table",
]
