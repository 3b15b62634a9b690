"""What no tool of DataHub ever shows."""

from tests.live_services import Desk

from .company import absence, person, score, source, start, vendor

CANARY = 31_337.125


async def test_tools_do_not_reveal_the_result_of_a_refresh(datahub: Desk) -> None:
    world = await start(
        datahub,
        metrics=[score(upstream=["MET-0104"])],
        sources=[source(values=[CANARY], failures=[31_337])],
        records=[vendor()],
        people=[person(delegate="sarah.chen")],
        absences=[absence()],
    )

    shown = [
        await world.post("/catalog/metrics/MET-0104/query"),
        await world.post("/catalog/metrics/MET-0104/refresh"),
    ]
    shown += [await world.get(path) for path in ("/catalog/metrics", "/jobs", "/records", "/people")]
    shown += [await world.get(path) for path in ("/jobs/JOB-0001", "/records/V-104", "/people/sarah.chen")]
    shown += [await world.get(path) for path in ("/catalog/metrics/MET-0104/lineage", "/approvers/cfo")]

    assert {answer.status_code for answer in shown} <= {200, 202}
    assert not any("31337" in answer.text for answer in shown)
    assert "sources" not in {part for path in datahub.app.openapi()["paths"] for part in path.split("/")}
