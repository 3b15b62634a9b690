"""Metrics: reads, refreshes, lineage and expiry."""

from collections.abc import Awaitable, Callable, Sequence

from companyos.chassis import ListPage, UnitOfWork
from companyos.sdk.simtime import to_iso

from .. import domain
from ..domain import JobStatus, Lineage, LineageNode, PermissionId, Reading
from ..errors import JobUnknown, MetricUnknown, RefreshRunning
from ..events import ExpireMetric, FinishRefresh, MetricExpired, MetricRefreshed
from ..models import Change, Job, Metric, Source
from ..repository import DataHubRepository
from .access import Accesses
from .receipts import keep_receipt

#: A lineage is limited, because one metric can feed almost all others.
LINEAGE_LIMIT = 200

Neighbors = Callable[[Sequence[Metric]], Awaitable[list[Metric]]]


class Metrics:
    """The rules of metrics and of their refresh jobs, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = DataHubRepository(unit)

    async def page(
        self, *, name: str | None, subject: str | None, cursor: str | None, limit: int
    ) -> ListPage[Reading]:
        """Return a page of metrics as they are now."""
        metrics = await self._repository.metrics(name=name, subject=subject, cursor=cursor, limit=limit)
        return metrics.map(self._reading)

    async def query(self, metric_id: str) -> Reading:
        """Return the metric and its freshness, and store a receipt that the caller read this version.

        Raises:
            MetricUnknown: No such metric in this world.
        """
        metric = await self._load(metric_id)
        await keep_receipt(self._unit, metric)
        return self._reading(metric)

    async def refresh(self, metric_id: str) -> Job:
        """Start a job that fetches a new value from the metric's source.

        Raises:
            MetricUnknown: No such metric in this world.
            PermissionRequired: The caller may not refresh metrics.
            RefreshRunning: A job is already refreshing it.
        """
        metric = await self._load(metric_id)
        await Accesses(self._unit).require(PermissionId.REFRESH_METRICS)
        if running := await self._repository.running_job(metric.id):
            raise RefreshRunning(running.id, to_iso(running.due_at))

        job = await self._new_job(metric)
        self._unit.add(job)
        self._unit.schedule(FinishRefresh(job_id=job.id), at=job.due_at, id=f"refresh:{job.id}")
        return job

    async def lineage(self, metric_id: str) -> Lineage:
        """Return the metrics from which this one is computed, and those computed from it, nearest first.

        Raises:
            MetricUnknown: No such metric in this world.
        """
        metric = await self._load(metric_id)
        return Lineage(
            metric_id=metric.id,
            upstream=await self._walk(metric, self._repository.feeding),
            downstream=await self._walk(metric, self._repository.computed_from),
        )

    async def job(self, job_id: str) -> Job:
        """Return a refresh job.

        Raises:
            JobUnknown: No such job in this world.
        """
        job = await self._unit.get(Job, job_id)
        if job is None:
            raise JobUnknown(job_id)
        return job

    async def jobs(
        self, *, metric_id: str | None, status: JobStatus | None, cursor: str | None, limit: int
    ) -> ListPage[Job]:
        """Return a page of refresh jobs."""
        return await self._repository.jobs(metric_id=metric_id, status=status, cursor=cursor, limit=limit)

    async def finish_refresh(self, job_id: str) -> None:
        """Complete a running job with the source's next value, or with a failure."""
        job = await self._unit.get(Job, job_id)
        metric = await self._unit.get(Metric, job.metric_id) if job is not None else None
        if job is None or metric is None or job.status != JobStatus.RUNNING:
            return
        source = await self._unit.get(Source, metric.id) or Source(id=metric.id)
        number = await self._unit.next_number(f"refresh:{metric.id}", start=0)

        job.finished_at = job.due_at
        if domain.refresh_fails(source.failures, number):
            job.status = JobStatus.FAILED
            job.error = (
                f"The source {metric.source} did not respond. The value is unchanged; refresh it again."
            )
            return
        job.status = JobStatus.SUCCEEDED
        value = domain.refreshed_value(source.values, source.failures, number, current=metric.value)
        if source.weights:
            upstream = {one.id: one.value for one in await self._repository.feeding([metric])}
            value = domain.recomputed(value, source.weights, upstream)
        self._take(metric, value, at=job.due_at, actor=job.requested_by)

    async def expire(self, metric_id: str) -> None:
        """Announce that a metric expired, unless it was refreshed first."""
        metric = await self._unit.get(Metric, metric_id)
        if metric is not None and domain.is_stale(metric.as_of, metric.ttl_s, self._unit.now):
            self._unit.record(MetricExpired(metric_id=metric.id, version=metric.version))

    async def _load(self, metric_id: str) -> Metric:
        metric = await self._unit.get(Metric, metric_id)
        if metric is None:
            raise MetricUnknown(metric_id)
        return metric

    def _reading(self, metric: Metric) -> Reading:
        return Reading(
            id=metric.id,
            name=metric.name,
            subject=metric.subject,
            value=metric.value,
            unit=metric.unit,
            status=metric.status,
            as_of=metric.as_of,
            expires_at=metric.expires_at,
            age_s=domain.age(metric.as_of, self._unit.now),
            is_stale=domain.is_stale(metric.as_of, metric.ttl_s, self._unit.now),
            source=metric.source,
            refresh_s=metric.refresh_s,
            version=metric.version,
        )

    async def _new_job(self, metric: Metric) -> Job:
        return Job(
            id=await self._repository.next_job_id(),
            metric_id=metric.id,
            requested_by=self._unit.actor,
            started_at=self._unit.now,
            due_at=self._unit.now + metric.refresh_s,
        )

    def _take(self, metric: Metric, value: float | None, *, at: int, actor: str) -> None:
        before = {"value": metric.value, "as_of": metric.as_of}
        metric.value, metric.as_of, metric.version = value, at, metric.version + 1
        self._unit.add(
            Change(
                id=f"{metric.id}@{metric.version}",
                object_id=metric.id,
                version=metric.version,
                at=at,
                actor=actor,
                action="refreshed",
                before=before,
                after={"value": metric.value, "as_of": metric.as_of},
            )
        )
        self._announce(metric)

    def _announce(self, metric: Metric) -> None:
        self._unit.record(
            MetricRefreshed(
                metric_id=metric.id,
                subject=metric.subject,
                name=metric.name,
                value=metric.value,
                as_of=metric.as_of,
                expires_at=metric.expires_at,
                version=metric.version,
            )
        )
        self._unit.schedule(ExpireMetric(metric_id=metric.id), at=metric.expires_at, id=f"expire:{metric.id}")

    async def _walk(self, start: Metric, neighbors: Neighbors) -> list[LineageNode]:
        nodes: dict[str, LineageNode] = {}
        frontier, distance = [start], 0
        while frontier and len(nodes) < LINEAGE_LIMIT:
            distance += 1
            reached = await neighbors(frontier)
            frontier = [metric for metric in reached if metric.id != start.id and metric.id not in nodes]
            nodes |= {metric.id: self._node(metric, distance) for metric in frontier}
        return list(nodes.values())[:LINEAGE_LIMIT]

    def _node(self, metric: Metric, distance: int) -> LineageNode:
        return LineageNode(
            id=metric.id,
            name=metric.name,
            subject=metric.subject,
            status=metric.status,
            is_stale=domain.is_stale(metric.as_of, metric.ttl_s, self._unit.now),
            distance=distance,
        )
