"""The wire types of assets and clearances."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import Body, Key, PageQuery, View

AssetId = Annotated[Key, Path()]
HolderId = Annotated[Key, Path()]


class AssetsQuery(PageQuery):
    """Which assets to list."""

    holder: Key | None = Field(None, description="Person id of the holder.")
    asset_class: Key | None = Field(None, description="Exact class.")
    q: Key | None = Field(None, description="Text in the id, name or class.")


class AssignAsset(Body):
    """A person to hand an asset to."""

    person_id: Key


class AssetView(View):
    """An asset and its holder."""

    id: str = Field(description="Id of the asset; the other asset tools take it as `asset_id`.")
    name: str = Field(description="Its name.")
    asset_class: str = Field(description="Its class.")
    holder: str | None = Field(description="Person id of the holder; null while it is in the pool.")
    version: int = Field(description="Grows by one with every change.")


class ClearanceView(View):
    """How far a person is cleared."""

    id: str = Field(description="Person id.")
    level: int = Field(description="Level, 0 (none) to 5.")
    version: int = Field(description="Grows by one with every change.")
