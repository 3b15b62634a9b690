"""The actions, events and values that DataHub offers to the company's automations."""

from typing import Any

from companyos.chassis import Automations, Event, Firing, UnitOfWork
from companyos.sdk.automations import Effects

from . import domain
from .assets.events import AssetAssigned, AssetReturned, ClearanceChanged
from .assets.models import Asset, Clearance
from .assets.service import Assets, Clearances
from .domain import RecordStatus
from .events import ApprovalDecided, RecordChanged, TicketReopened
from .models import Metric, Record, Source, metadata
from .service import Records


async def change_clearance(firing: Firing, *, person: str, by: int) -> None:
    """Raise or lower a person's clearance."""
    await Clearances(firing.unit).move(person, by)


async def return_asset(firing: Firing, *, asset: str) -> None:
    """Return an asset to the pool."""
    await Assets(firing.unit).give_back(asset)


async def set_record_status(firing: Firing, *, record: str, status: str) -> None:
    """Set the status of a record, as an edit would."""
    status_ = RecordStatus(status)
    await Records(firing.unit).update(record, name=None, status=status_, fields=None, version=None)


async def live_metric(unit: UnitOfWork, metric_id: Any) -> float | None:
    """Return the value of a metric's source, because rules depend on the source, not on the last reading."""
    source, metric = await unit.get(Source, str(metric_id)), await unit.get(Metric, str(metric_id))
    current = metric.value if metric is not None else None
    return current if source is None else domain.refreshed_value(source.values, (), 0, current=current)


_ASSETS = frozenset({"assets.holder", "assets.version"})
_CLEARANCES = frozenset({"clearances.level", "clearances.version"})
_RECORDS = frozenset({"records.status", "records.version"})

_OWN: list[type[Event]] = [AssetAssigned, AssetReturned, ClearanceChanged, RecordChanged]

AUTOMATIONS = Automations(
    service="datahub",
    metadata=metadata,
    own=_OWN,
    foreign=[ApprovalDecided, TicketReopened],
    tables=[Asset, Clearance, Record],
    actions={
        "change_clearance": (
            change_clearance,
            Effects(_CLEARANCES, frozenset({"clearance.changed"}), frozenset({"clearances.level"})),
        ),
        "return_asset": (
            return_asset,
            Effects(_ASSETS, frozenset({"asset.returned"}), frozenset({"assets.holder"})),
        ),
        "set_record_status": (
            set_record_status,
            Effects(_RECORDS, frozenset({"record.changed"}), frozenset({"records.status"})),
        ),
    },
    values={"live_metric": (live_metric, frozenset({"metrics.value"}))},
    acts=(
        Effects(_ASSETS, frozenset({"asset.assigned"})),
        Effects(_ASSETS, frozenset({"asset.returned"})),
        Effects(frozenset({*_RECORDS, "records.name", "records.fields"}), frozenset({"record.changed"})),
    ),
    own_reactions={"approval.decided": Effects(_RECORDS, frozenset({"record.changed"}))},
)
