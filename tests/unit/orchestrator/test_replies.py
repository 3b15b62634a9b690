"""Replies are made from the record, so a repeated step answers the same."""

from decimal import Decimal
from typing import Any

from companyos.sdk.chaos import parse_chaos
from orchestrator.protocol.options import RewardMode, RewardProfile
from orchestrator.protocol.records import Episode, Start
from orchestrator.protocol.replies import breakdown, start_record, state_of, step_reply, summary_of

RECORD: dict[str, Any] = {
    "call": ["desk", "update_ticket", "T1"],
    "outcome": "done",
    "observation": {"text": "ok"},
    "reward": 0.9,
    "done": False,
    "ledger": [
        {"name": "step", "amount": -0.1, "evidence": []},
        {"name": "milestone:set", "amount": 1.0, "evidence": ["desk/tickets/T1"]},
    ],
    "return": 2.5,
    "success": None,
    "terminated": False,
    "truncated": False,
    "invalid": None,
    "hash": "abc",
}


def episode(
    *, done: bool = False, invalid: str | None = None, mode: RewardMode = RewardMode.DENSE
) -> Episode:
    start = Start("errand", 1, 7, parse_chaos("papercuts"), "default", RewardProfile.SEED, mode, 9)
    return Episode(
        id="ep-1",
        world=1,
        chain=(-1, 1),
        base="digest",
        start=start,
        step=2,
        now=3600,
        due={},
        total=Decimal("2.50"),
        hash="abc",
        done=done,
        terminated=done,
        truncated=False,
        success=True if done and not invalid else None,
        invalid=invalid,
    )


def test_an_invalid_step_says_why() -> None:
    reply = step_reply({**RECORD, "invalid": "desk: down"}, episode())

    assert reply.metadata["invalid"] is True
    assert reply.metadata["invalid_reason"] == "desk: down"


def test_in_outcome_mode_the_last_step_accounts_for_the_whole() -> None:
    last = {**RECORD, "done": True, "reward": 3.4}

    assert breakdown(RECORD, RewardMode.OUTCOME) == []
    assert breakdown(last, RewardMode.OUTCOME) == [
        {"name": "earlier_steps", "amount": 2.5, "evidence": []},
        *RECORD["ledger"],
    ]
    assert breakdown({**last, "reward": 0.9}, RewardMode.OUTCOME) == RECORD["ledger"]


def test_the_state_gives_nothing_away() -> None:
    assert state_of(episode()) == {
        "episode_id": "ep-1",
        "step_count": 2,
        "scenario": "errand",
        "chaos": 1,
        "chaos_name": "papercuts",
        "max_steps": 9,
        "done": False,
        "sim_now": "2030-01-01T01:00:00Z",
    }


def test_a_summary_tells_the_return_that_was_paid() -> None:
    assert summary_of(episode())["episode_return"] == 2.5
    assert summary_of(episode(mode=RewardMode.OUTCOME))["episode_return"] == 0.0
    assert summary_of(episode(done=True, mode=RewardMode.OUTCOME))["episode_return"] == 2.5
    stopped = summary_of(episode(done=True, invalid="desk: down", mode=RewardMode.OUTCOME))
    assert (stopped["episode_return"], stopped["success"], stopped["invalid"]) == (0.0, None, True)


def test_record_zero_is_what_the_episode_starts_from() -> None:
    record = start_record(episode(), {"step": 0}, "first", "last", not_offered=("biz.policy_drift",))

    assert record["step"] == 0
    assert record["chaos"]["name"] == "papercuts"
    assert (record["observation"], record["hash"]) == ({"step": 0}, "first")
    assert record["not_offered"] == ["biz.policy_drift"]
    assert not {"ep-1", 1} & set(map(str, record.values()))
