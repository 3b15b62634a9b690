"""An episode as pages show it, of a run and of a stack, in progress and at its end."""

from typing import Any

from companyos.evaluation.runs import PredicateKind
from companyos.evaluation.viewer.episodes import (
    EpisodeOutcome,
    EpisodeView,
    RewardTotal,
    live_episode,
    recorded_episode,
)
from tests.unit.evaluation.runs.samples import WON

from .records import step

HEAD: dict[str, Any] = {
    "step": 0,
    "chaos": {"level": 3, "name": "bad-day"},
    "observation": {"text": "Your task: …"},
    "faults": [
        {
            "fault": "biz.stale_metric",
            "where": ["MET-1", ""],
            "landed_at": 2,
            "detected_at": None,
            "overcome_at": None,
        }
    ],
}
CARD: dict[str, Any] = {
    "episode_id": "an-episode",
    "scenario": "vendor_onboarding",
    "version": 4,
    "seed": 7,
    "chaos": 3,
    "episode_return": 1.5,
    "max_steps": 40,
    "done": False,
    "success": None,
    "terminated": False,
    "truncated": False,
    "invalid": False,
    "invalid_reason": None,
    "feasible": True,
    "trace_hash": "0" * 32,
    "musts": [{"name": "approved", "why": "It was approved.", "holds": False}],
    "forbidden": [{"name": "asked_twice", "why": "It was asked for twice.", "kept": True}],
    "orders": [{"name": "verified_first", "kept": True}],
    "milestones": [],
    "violations": [],
    "collateral": [],
    "duplicates": [],
}


def recorded(*steps: dict[str, Any]) -> EpisodeView:
    return recorded_episode(WON, [HEAD, *steps], None)


def test_an_episode_of_a_run_tells_what_its_record_and_its_trace_say() -> None:
    episode = recorded(step(1), step(2))

    assert (episode.name, episode.scenario, episode.seed) == (WON.key, WON.scenario, WON.seed)
    assert (episode.chaos, episode.brief) == ("3 bad-day", "Your task: …")
    assert [each.number for each in episode.steps] == [1, 2]
    assert [(each.fault, each.where, each.landed_at, each.overcome_at) for each in episode.faults] == [
        ("biz.stale_metric", "MET-1", 2, None)
    ]


def test_an_episode_without_a_trace_has_its_record_alone() -> None:
    episode = recorded_episode(WON, [], None)

    assert (episode.chaos, episode.brief, episode.steps, episode.faults) == ("3", "", [], [])
    assert episode.outcome == EpisodeOutcome("solved", "good")


def test_turns_of_the_agent_are_matched_to_steps_in_order() -> None:
    said = [{"source": "system", "message": "Rules."}, {"source": "user", "message": "Your task."}]
    said += [{"source": "agent", "message": text} for text in ("first", "second")]

    episode = recorded_episode(WON, [HEAD, step(1), step(2), step(3)], {"steps": said})

    assert [each.turn.text for each in episode.steps] == ["first", "second", ""]


def test_rewards_are_gathered_by_reason() -> None:
    def earned(*lines: tuple[str, float]) -> dict[str, Any]:
        return {"ledger": [{"name": name, "amount": amount, "evidence": []} for name, amount in lines]}

    episode = recorded(
        step(1, **earned(("step", -0.1))),
        step(2, **earned(("step", -0.1), ("success", 15.0))),
        step(3, **earned()),
    )

    assert episode.rewards == [RewardTotal("step", -0.2, [1, 2]), RewardTotal("success", 15.0, [2])]


def test_a_live_episode_tells_what_its_grade_card_says_so_far() -> None:
    episode = live_episode(CARD, [HEAD, step(1)])

    assert episode.is_open
    assert [(each.name, each.kind, each.holds) for each in episode.checks] == [
        ("approved", PredicateKind.MUST, False),
        ("asked_twice", PredicateKind.FORBIDDEN, True),
        ("verified_first", PredicateKind.ORDER, True),
    ]
    assert (episode.chaos, episode.max_steps, len(episode.steps)) == ("3 bad-day", 40, 1)


def test_a_chaos_without_a_name_is_custom() -> None:
    head = {**HEAD, "chaos": {"level": None, "name": None}}

    assert live_episode({**CARD, "chaos": None}, [head]).chaos == "custom"
