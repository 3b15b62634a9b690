"""The curves of a certification, as a picture and as a table."""

from typing import Any
from xml.etree import ElementTree

from companyos.evaluation.baselines import interval
from companyos.evaluation.curves import PLAYERS, is_whole, markdown, picture

RATES = (1.0, 0.5, 0.2, 0.1, 0.02, 0.0)


def curves(*players: str) -> dict[str, Any]:
    """One scenario in which each of these agents had these rates, by level, over a thousand episodes."""
    cells = [
        {
            "episodes": 1000,
            "successes": round(1000 * rate),
            "success": rate,
            "spl": 0.8 * rate,
            "interval": list(interval(round(1000 * rate), 1000)),
        }
        for rate in RATES
    ]
    levels = {str(level): {"agents": dict.fromkeys(players, cell)} for level, cell in enumerate(cells)}
    return {"errand": {"levels": levels}}


REPORT = {
    "scenarios": curves("believes_claims", "retries_nothing"),
    "met": {"svc.http_5xx": {"armed": 9, "landed": 8, "overcome": 6, "expired": 1}},
}


def test_the_picture_is_an_image_with_a_curve_for_each_agent_that_played() -> None:
    drawn = ElementTree.fromstring(picture(REPORT))

    texts = [found.text for found in drawn.iter() if found.tag.endswith("text")]
    lines = [found.get("points", "") for found in drawn.iter() if found.tag.endswith("polyline")]
    assert {"errand", "believes_claims", "retries_nothing", "100%"} <= set(texts)
    assert sorted(len(points.split()) for points in lines) == [*[0] * (len(PLAYERS) - 2), 6, 6]


def test_the_table_has_a_row_for_each_agent_and_for_each_fault() -> None:
    told = markdown(REPORT)

    assert (
        "| errand | believes_claims | 100.0% (99.6%–100.0%), SPL 80.0% | 50.0% (46.9%–53.1%), SPL 40.0% |"
        in told
    )
    assert "| `svc.http_5xx` | 8 | 6 | 75% | 1 |" in told


def test_curves_are_published_only_from_all_scenarios_levels_and_agents() -> None:
    whole = {"scenarios": curves(*PLAYERS)}
    few = {"errand": {"levels": {"0": whole["scenarios"]["errand"]["levels"]["0"]}}}

    assert is_whole(whole, {"errand"})
    assert not is_whole(whole, {"errand", "bug_escalation"})
    assert not is_whole(whole, {"bug_escalation"})
    assert not is_whole(REPORT, {"errand"}), "the oracle did not play"
    assert not is_whole({"scenarios": few}, {"errand"})
