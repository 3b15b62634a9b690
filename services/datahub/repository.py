"""DataHub's queries, except lookups of one row by its id."""

from collections.abc import Iterable
from typing import TypeVar

from sqlalchemy import ARRAY, Text, any_, bindparam, func, select

from companyos.chassis import ListPage, Query, UnitOfWork, live

from .domain import JobStatus
from .models import Absence, Job, Metric, Person, Record

HOLDERS = 50

_METRICS = live(Metric)
_JOBS = live(Job)
_IDS = bindparam("ids", type_=ARRAY(Text))

METRICS_BY_ID = Query(
    select(_METRICS).where(_METRICS.c.id == any_(_IDS)).order_by(_METRICS.c.id),
    Metric,
)
METRICS_COMPUTED_FROM = Query(
    select(_METRICS).where(func.jsonb_exists_any(_METRICS.c.upstream, _IDS)).order_by(_METRICS.c.id),
    Metric,
)
Listed = TypeVar("Listed", Metric, Job, Record, Person)
#: Columns and a text that one of them must contain; None matches every row.
Contained = tuple[tuple[str, ...], str] | None


class DataHubRepository:
    """Reads rows in the world of one unit of work; lists are ordered by id."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def metrics(
        self, *, name: str | None, subject: str | None, cursor: str | None, limit: int
    ) -> ListPage[Metric]:
        """Return a page of metrics, optionally of one name or one subject."""
        return await self._page(Metric, cursor, limit, name=name, subject=subject)

    async def feeding(self, metrics: Iterable[Metric]) -> list[Metric]:
        """Return the metrics from which any of these is directly computed."""
        ids = sorted({upstream for metric in metrics for upstream in metric.upstream})
        return await self._unit.find(METRICS_BY_ID, ids=ids)

    async def computed_from(self, metrics: Iterable[Metric]) -> list[Metric]:
        """Return the metrics that are directly computed from any of these."""
        return await self._unit.find(METRICS_COMPUTED_FROM, ids=[metric.id for metric in metrics])

    async def running_job(self, metric_id: str) -> Job | None:
        """Return the job that is refreshing this metric, if any."""
        running = await self._unit.all(Job, metric_id=metric_id, status=JobStatus.RUNNING)
        return running[0] if running else None

    async def next_job_id(self) -> str:
        """Return the id of the next job of this world."""
        return await self._unit.next_id(Job, "JOB-", width=4)

    async def jobs(
        self, *, metric_id: str | None, status: str | None, cursor: str | None, limit: int
    ) -> ListPage[Job]:
        """Return a page of refresh jobs, optionally of one metric or one status."""
        return await self._page(Job, cursor, limit, metric_id=metric_id, status=status)

    async def records(
        self, *, kind: str | None, q: str | None, cursor: str | None, limit: int
    ) -> ListPage[Record]:
        """Return a page of records, optionally of one kind or with `q` in their id, kind or name."""
        return await self._page(Record, cursor, limit, _text(q, "id", "kind", "name"), kind=kind)

    async def people(
        self, *, role: str | None, manager: str | None, q: str | None, cursor: str | None, limit: int
    ) -> ListPage[Person]:
        """Return a page of people, optionally of one role or manager, or with `q` in a text about them."""
        return await self._page(
            Person, cursor, limit, _text(q, "id", "name", "team", "role"), role=role, manager=manager
        )

    async def reports(self, manager: str) -> list[Person]:
        """Return the people who report to a person, at most the first `HOLDERS`."""
        return list((await self._unit.page(Person, limit=HOLDERS, manager=manager)).items)

    async def holders(self, role: str) -> list[Person]:
        """Return the holders of a role, at most the first `HOLDERS`."""
        return list((await self._unit.page(Person, limit=HOLDERS, role=role)).items)

    async def absences(self, person_id: str) -> list[Absence]:
        """Return all absences of a person, including past ones."""
        return await self._unit.all(Absence, person_id=person_id)

    async def _page(
        self,
        row: type[Listed],
        cursor: str | None,
        limit: int,
        contains: Contained = None,
        **equals: str | None,
    ) -> ListPage[Listed]:
        given = {column: value for column, value in equals.items() if value is not None}
        return await self._unit.page(row, after=cursor, limit=limit, contains=contains, **given)


def _text(q: str | None, *columns: str) -> Contained:
    return (columns, q) if q else None
