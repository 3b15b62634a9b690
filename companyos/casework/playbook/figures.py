"""How an employee gets a figure that is fresh, and keeps it so."""

from typing import Final

from companyos.simtime import MINUTE, from_iso

from .access import Access
from .asking import Answer, Play

#: How long a figure has to keep when a request about it is made: the call itself, and one that goes wrong.
_KEEPS_S: Final = 2 * MINUTE


class Figures(Access):
    """What an employee does in DataHub about figures."""

    def figure(self, name: str, subject: str | None) -> Play[Answer]:
        """Return the fresh reading of the one figure of this name about exactly this subject."""
        about = {} if subject is None else {"subject": subject}
        page = yield from self.ask("datahub_list_metrics", name=name, **about)
        metric = next(item for item in page["items"] if item["subject"] == subject)
        if metric["is_stale"]:
            return (yield from self._refreshed(metric))
        return (yield from self.ask("datahub_query_metric", metric_id=metric["id"]))

    def fresh(self, reading: Answer, *, keeps_s: int = _KEEPS_S) -> Play[Answer]:
        """Return the reading itself if it keeps for this long, or else a new one."""
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
