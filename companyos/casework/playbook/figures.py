"""How an employee gets a figure that is fresh."""

from companyos.simtime import from_iso

from .asking import Answer, Asker, Play


class Figures(Asker):
    """What an employee does in DataHub about figures."""

    def figure(self, name: str, subject: str | None) -> Play[Answer]:
        """Return the fresh reading of the one figure of this name about exactly this subject."""
        about = {} if subject is None else {"subject": subject}
        page = yield from self.ask("datahub_list_metrics", name=name, **about)
        metric = next(item for item in page["items"] if item["subject"] == subject)
        while metric["is_stale"]:
            job = yield from self.ask("datahub_refresh_data", metric_id=metric["id"])
            yield from self.wait_until(from_iso(job["due_at"]))
            metric = yield from self.ask("datahub_query_metric", metric_id=metric["id"])
        if "value" not in metric:
            metric = yield from self.ask("datahub_query_metric", metric_id=metric["id"])
        return metric
