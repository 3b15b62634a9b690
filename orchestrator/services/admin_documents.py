"""The documents that a service's admin routes answer with, as far as the orchestrator reads them."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class BaseState(_Strict):
    """A base that a service has loaded: its layer, and its first due instant, None if nothing is due."""

    layer: int
    next_due: int | None


class ChangedRows(_Strict):
    """The rows that a world changed since its start, by table and id; None if removed."""

    tables: dict[str, dict[str, dict[str, Any] | None]]


class ExcerptPage(_Strict):
    """A page of a chain's rows, and the last row's place, None on the last page."""

    rows: list[dict[str, Any]]
    after: dict[str, str] | None


class _Tool(_Strict):
    name: str
    operation: str
    method: str
    path: str
    description: str
    tick: int
    instead: str
    parameters: dict[str, Any]
    places: dict[str, str]
    status: int = 200
    returns: dict[str, Any] = {}


class _Table(_Strict):
    name: str
    journal: bool
    hidden: bool
    maintained: list[str]


class _Error(_Strict):
    code: str
    status: int


class Manifest(_Strict):
    """What a service tells of itself."""

    service: str
    title: str
    summary: str
    schema_version: int
    tools: list[_Tool]
    pages: list[dict[str, Any]] = []
    consumes: list[str]
    tables: list[_Table]
    errors: list[_Error]
