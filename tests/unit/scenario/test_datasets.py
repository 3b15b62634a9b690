"""What the company builder writes of past values, lineage, quarantines and datasets."""

from companyos.company import Company
from companyos.company.areas.datasets import add_dataset, add_history, compute_from, quarantine
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


def test_past_values_end_with_the_present_one_and_count_its_version():
    own = company()
    total = metric(own)

    add_history(own, total, [(3 * DAY, 10.0), (2 * DAY, 11.0)])

    assert [row["after"]["value"] for row in rows(own, "changes")] == [10.0, 11.0, 12.0]
    assert [row["id"] for row in rows(own, "changes")] == [f"{total['id']}@{number}" for number in (1, 2, 3)]
    assert rows(own, "changes")[-1]["at"] == total["as_of"]
    assert total["version"] == rows(own, "metrics", "approvalflow")[0]["version"] == 3


def test_a_metric_is_computed_from_others_in_the_order_of_their_ids():
    own = company()
    first, second, third = (metric(own) for _ in range(3))

    compute_from(third, second)
    compute_from(third, first, second)

    assert third["upstream"] == sorted([first["id"], second["id"]])


def test_a_quarantine_of_the_past_is_known_to_every_service():
    own = company()
    total, steward = metric(own), own.hire("Ada Moss", "data_steward", "Data")

    quarantine(own, total, steward, "Incomplete.", age_s=5 * DAY)

    assert total["status"] == "quarantined"
    (lasting,) = rows(own, "quarantines")
    assert (lasting["id"], lasting["by"], lasting["released_at"]) == (f"{total['id']}-Q1", "ada.moss", None)
    (known,) = rows(own, "quarantined_metrics", "approvalflow")
    assert (known["id"], known["active"], known["since"]) == (total["id"], True, START - 5 * DAY)


def test_a_dataset_names_its_columns_rows_and_metrics():
    own = company()
    total, owner = metric(own), own.hire("Ada Moss", "data_steward", "Data")
    columns = {"number": ("string", "Of the order."), "amount": ("number", "In euros.")}
    before = own.count()

    made = add_dataset(
        own,
        "DS-1",
        "Orders",
        "One row per order.",
        owner,
        columns,
        [("O-1", 5.0), ("O-2", 7.0)],
        age_s=DAY,
        source="orders-load",
        metrics=[total],
    )

    assert made["row_count"] == 2
    assert made["columns"][1] == {"name": "amount", "type": "number", "description": "In euros."}
    assert made["metrics"] == [total["id"]]
    assert [row["values"] for row in rows(own, "dataset_rows")] == [
        {"number": "O-1", "amount": 5.0},
        {"number": "O-2", "amount": 7.0},
    ]
    assert own.count() == before + 1


def test_a_company_of_any_size_has_areas_of_different_names():
    own = Company(Draws("s", "test", 0), START, (office.PACK, analytics.PACK), "default")
    steward = own.hire("Ada Moss", "data_steward", "Data")
    names = []
    for number in range(len(analytics.names.AREAS)):
        area = analytics.new_area(own, "story", own.numbers.next, number)
        assert area is not None
        area.feed()
        names.append(area.name)

    assert sorted(names) == sorted(analytics.names.AREAS)
    assert analytics.new_area(own, "story", own.numbers.next) is None
    assert steward.team == "Data"
