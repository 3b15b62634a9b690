"""Entitlements: access to systems, ownership of objects, and the accounts of people who leave."""

from companyos.chassis import Area

from .events import DelegationChanged, EntitlementRevoked, PersonDeactivated
from .routes import entitlements, ownerships, staff

AREA = Area(
    routers=[entitlements, ownerships, staff],
    publishes=[EntitlementRevoked, DelegationChanged, PersonDeactivated],
)

__all__ = ["AREA"]
