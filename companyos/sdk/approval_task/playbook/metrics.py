"""The part of the playbook that gets a fresh metric and keeps it fresh."""

from typing import Final

from companyos.sdk.scripts.asking import Answer, Play
from companyos.sdk.simtime import MINUTE, from_iso

from .access import Access

#: How long a metric must stay fresh for a request that uses it: the call itself and one retry.
_KEEPS_S: Final = 2 * MINUTE


class Metrics(Access):
    """An employee's work with metrics in DataHub."""

    def metric(self, name: str, subject: str | None) -> Play[Answer]:
        """Return a fresh reading of the metric with this name and exactly this subject."""
        about = {} if subject is None else {"subject": subject}
        page = yield from self.ask("datahub_list_metrics", name=name, **about)
        metric = next(item for item in page["items"] if item["subject"] == subject)
        if metric["is_stale"]:
            return (yield from self._refreshed(metric))
        return (yield from self.ask("datahub_query_metric", metric_id=metric["id"]))

    def fresh(self, reading: Answer, *, keeps_s: int = _KEEPS_S) -> Play[Answer]:
        """Return the reading itself if it stays fresh for `keeps_s`, or else a new one."""
        if self.now + keeps_s < from_iso(reading["expires_at"]):
            return reading
        return (yield from self._refreshed(reading))

    def _refreshed(self, metric: Answer) -> Play[Answer]:
        stale = True
        while stale:
            job = yield from self.permitted("datahub_refresh_data", metric_id=metric["id"])
            yield from self.wait_until(from_iso(job["due_at"]))
            metric = yield from self.ask("datahub_query_metric", metric_id=metric["id"])
            stale = metric["is_stale"]
        return metric
