"""The queries of datasets."""

from companyos.chassis import ListPage, UnitOfWork

from .models import Dataset, DatasetRow


class DatasetRepository:
    """Reads rows in the world of one unit of work; lists are ordered by id."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def datasets(self, *, q: str | None, cursor: str | None, limit: int) -> ListPage[Dataset]:
        """Return a page of datasets, optionally with `q` in their id, name or description."""
        contains = (("id", "name", "description"), q) if q else None
        return await self._unit.page(Dataset, after=cursor, limit=limit, contains=contains)

    async def rows(self, dataset_id: str) -> list[DatasetRow]:
        """Return the rows of a dataset, which has at most a few thousand."""
        return await self._unit.all(DatasetRow, dataset_id=dataset_id)
