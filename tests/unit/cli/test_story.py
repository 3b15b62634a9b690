"""What the demo tells of the steps of an episode."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from companyos.cli.story import StoryEpisode, tell
from companyos.sdk.scenario import find


def step(number: int, *, message: str | None = None, value: float = 1.0) -> dict[str, Any]:
    """Return the record of a call, refused with a message or answered with a value."""
    return {
        "step": number,
        "action": {"tool_name": "datahub_query_metric", "arguments": {"metric_id": "MET-1"}},
        "observation": {
            "error": message and {"message": message},
            "result": None if message else {"value": value},
        },
        "ledger": [],
        "changes": [],
    }


def episode(*records: dict[str, Any], faults: Sequence[dict[str, Any]] = ()) -> StoryEpisode:
    card = {"success": True, "musts": [], "forbidden": [], "fault_account": faults}
    return StoryEpisode("oracle", 0, "Do it.", card, records)


def landed(fault: str, step: int) -> dict[str, Any]:
    return {"fault": fault, "where": ["MET-1"], "landed_at": step, "overcome_at": step + 1}


def story_of(believer: StoryEpisode) -> str:
    """Return the story of a pair in which the believer played this episode, on one line."""
    lines = tell(
        find("vendor_onboarding"), [believer, episode(step(1)), believer, episode(step(1, value=2.0))]
    )
    return " ".join(" ".join(lines).split())


def test_a_fault_is_told_by_the_error_of_the_call_that_it_hit() -> None:
    believer = episode(
        step(1, message="No response arrived in time. Call again."),
        step(2),
        faults=[landed("svc.http_5xx", 1)],
    )

    told = story_of(believer)

    assert "1 datahub_query_metric MET-1: No response arrived in time. Call again 2 datahub" in told
    assert "500" not in told


def test_a_fault_is_told_without_the_forms_that_it_did_not_take() -> None:
    told = story_of(episode(step(1), step(2), faults=[landed("biz.stale_metric", 1)]))

    assert "MET-1: The metric has to be refreshed, and that will not go smoothly 2 datahub" in told
    assert "or fails once" not in told


def test_a_story_says_that_it_leaves_steps_out() -> None:
    assert "Some steps are left out." in story_of(episode(step(1)))


def test_a_story_says_in_words_why_the_tasks_of_a_pair_end_apart() -> None:
    def ended(seed: int, must: str, record: dict[str, Any]) -> StoryEpisode:
        found = episode(record)
        musts = [{"why": why, "holds": True} for why in ("It was read.", must)]
        return replace(found, seed=seed, card={**found.card, "musts": musts})

    policy = step(1)
    policy["observation"]["result"] = {"value": 81.0, "minimum": 80.0, "maximum": None}
    first, second = ended(44, "It is held.", step(1)), ended(45, "It is approved.", policy)

    told = " ".join(" ".join(tell(find("vendor_onboarding"), [first, first, second, second])).split())

    assert told.endswith(
        "The policy accepts at least 80.0. Seed 44 ends with: It is held. Seed 45 ends with: It is approved."
    )
