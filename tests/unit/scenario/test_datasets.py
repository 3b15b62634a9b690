"""What the company builder writes of past values, lineage, quarantines and datasets."""

from companyos.sdk.company import Company
from companyos.sdk.company.areas.datasets import quarantine
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, from_iso
from scenarios.packs import analytics, office

START = from_iso("2031-03-03T09:00:00Z")


def company() -> Company:
    return Company(Draws("s", "test", 0), START, (office.PACK, analytics.PACK), "small")


def metric(company: Company, value: float = 12.0):
    return company.add_metric("feed_total", None, value, "EUR", age_s=DAY, ttl_s=9 * DAY)


def rows(company: Company, table: str, service: str = "datahub"):
    return company.rows[service][table]


def test_a_quarantine_of_the_past_is_known_to_every_service():
    own = company()
    total, steward = metric(own), own.hire("Ada Moss", "data_steward", "Data")

    quarantine(own, total, steward, "Incomplete.", age_s=5 * DAY)

    assert total["status"] == "quarantined"
    (lasting,) = rows(own, "quarantines")
    assert (lasting["id"], lasting["by"], lasting["released_at"]) == (f"{total['id']}-Q1", "ada.moss", None)
    (known,) = rows(own, "quarantined_metrics", "approvalflow")
    assert (known["id"], known["active"], known["since"]) == (total["id"], True, START - 5 * DAY)
