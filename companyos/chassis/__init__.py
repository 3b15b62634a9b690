"""The chassis: everything in a service except its business logic, from the signed context to the commit."""

from .acting import acting_as
from .automations import Automations, Firing
from .errors import CursorUnknown, PermissionRequired, QueryRequired, ServiceError, VersionConflict
from .events.reactions import Reactions
from .permissions import Permissions, permission_table
from .search_words import substring_pattern
from .service import Area, Service
from .settings import ProcessSettings
from .web.http import InWorld, ToolRouter
from .web.page_layouts import PageLayout
from .web.views import (
    AnyCase,
    Body,
    Key,
    Name,
    Page,
    PageOf,
    PageQuery,
    Scalar,
    SimTime,
    Text,
    Version,
    View,
    Whole,
    page_of,
)
from .world.context import Context
from .world.mentions import Mentioning, find_mentions, mask, mentioned
from .world.messages import Due, Event
from .world.pages import ListPage, page_after
from .world.searches import searched, searching
from .world.statements import PagedQuery, Query, found_in, live
from .world.tables import WorldRow, column_names, world_metadata, world_table
from .world.work import UnitOfWork

__all__ = [
    "AnyCase",
    "Area",
    "Automations",
    "Body",
    "Context",
    "CursorUnknown",
    "Due",
    "Event",
    "Firing",
    "InWorld",
    "Key",
    "ListPage",
    "Mentioning",
    "Name",
    "Page",
    "PageLayout",
    "PageOf",
    "PageQuery",
    "PagedQuery",
    "PermissionRequired",
    "Permissions",
    "ProcessSettings",
    "Query",
    "QueryRequired",
    "Reactions",
    "Scalar",
    "Service",
    "ServiceError",
    "SimTime",
    "Text",
    "ToolRouter",
    "UnitOfWork",
    "Version",
    "VersionConflict",
    "View",
    "Whole",
    "WorldRow",
    "acting_as",
    "column_names",
    "find_mentions",
    "found_in",
    "live",
    "mask",
    "mentioned",
    "page_after",
    "page_of",
    "permission_table",
    "searched",
    "searching",
    "substring_pattern",
    "world_metadata",
    "world_table",
]
