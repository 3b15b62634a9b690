"""The curves of a certification, as a picture and as a table."""

from xml.etree import ElementTree

from companyos.evaluation.curves import is_whole, markdown, picture
from tests.unit.evaluation.test_acceptance import FALLING, curves

REPORT = {
    "scenarios": curves(FALLING),
    "met": {"svc.http_5xx": {"armed": 9, "landed": 8, "overcome": 6, "expired": 1}},
}


def test_the_picture_is_an_image_with_a_curve_for_each_agent_that_played() -> None:
    drawn = ElementTree.fromstring(picture(REPORT))

    texts = [found.text for found in drawn.iter() if found.tag.endswith("text")]
    lines = [found.get("points", "") for found in drawn.iter() if found.tag.endswith("polyline")]
    assert {"errand", "naive", "careful", "100%"} <= set(texts)
    assert [len(points.split()) for points in lines] == [0, 6, 6]


def test_the_table_has_a_row_for_each_agent_and_for_each_fault() -> None:
    told = markdown(REPORT)

    assert "| errand | naive | 100.0% (99.6%–100.0%) | 50.0% (46.9%–53.1%) |" in told
    assert "| `svc.http_5xx` | 8 | 6 | 75% | 1 |" in told


def test_curves_are_published_only_from_all_scenarios_levels_and_agents() -> None:
    told = curves(FALLING)["errand"]
    oracle = {"oracle": told["levels"]["0"]["agents"]["careful"]}
    levels = {level: {"agents": {**cell["agents"], **oracle}} for level, cell in told["levels"].items()}
    whole = {"scenarios": {"errand": {"levels": levels}}}

    assert is_whole(whole, {"errand"})
    assert not is_whole(whole, {"errand", "bug_escalation"})
    assert not is_whole(whole, {"bug_escalation"})
    assert not is_whole(REPORT, {"errand"}), "the oracle did not play"
    few = {level: cell for level, cell in levels.items() if level != "5"}
    assert not is_whole({"scenarios": {"errand": {"levels": few}}}, {"errand"})
