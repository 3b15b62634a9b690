"""Assets and clearances over HTTP."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .models import Asset, Clearance
from .schemas import AssetId, AssetsQuery, AssetView, AssignAsset, ClearanceView, HolderId
from .service import Assets, Clearances

assets = ToolRouter(prefix="/assets", tags=["assets"])
clearances = ToolRouter(prefix="/clearances", tags=["assets"])


@assets.get(
    "",
    response_model=Page[AssetView],
    summary="List assets",
    description="Shows class and holder of each.",
)
async def list_assets(query: Annotated[AssetsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Assets(unit).page(**query.model_dump()), query.limit)


@assets.post(
    "/{asset_id}/assign",
    response_model=AssetView,
    summary="Assign an asset to a person",
    description="Takes it from its present holder, if it has one. Automations of the company may follow.",
)
async def assign_asset(asset_id: AssetId, body: AssignAsset, unit: InWorld) -> Asset:
    return await Assets(unit).assign(asset_id, body.person_id)


@assets.post(
    "/{asset_id}/return",
    response_model=AssetView,
    summary="Return an asset to the pool",
    description="Nobody holds it afterwards. Automations of the company may follow.",
)
async def return_asset(asset_id: AssetId, unit: InWorld) -> Asset:
    return await Assets(unit).give_back(asset_id)


@clearances.get(
    "/{person_id}",
    response_model=ClearanceView,
    summary="Read a person's clearance",
    description="Returns the level, from 0 to 5.",
)
async def get_clearance(person_id: HolderId, unit: InWorld) -> Clearance:
    return await Clearances(unit).get(person_id)
