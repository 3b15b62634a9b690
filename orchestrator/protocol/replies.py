"""The answers to resets and steps, from stored data: a retried step gets the same answer, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from companyos.sdk.simtime import to_iso

from .options import RewardMode, chaos_summary
from .problems import EXPIRED, Refusal
from .records import Episode
from .trace import seal
from .trace_records import start_document


@dataclass(frozen=True)
class Reply:
    """The answer to a reset or a step: the observation for the agent, the rest for the trainer.

    Attributes:
        observation: `text`, `tool_name`, `result`, `error`, `step`, `steps_remaining`, `sim_now`,
            `elapsed_s` and, at reset, `tools`.
        reward: A finite number; 0.0 at reset.
        done: Whether the episode accepts no further step.
        metadata: For trainers only; at reset `episode_id`, `scenario`, `version`, `seed`, `chaos`,
            `trace_hash`, `ignored`; after a step `episode_id`, `episode_return`, `success`,
            `reward_breakdown`, `call_kind`, `service`, `terminated`, `truncated`, `invalid`, `trace_hash`, and
            `defects` if a service failed on a call that it should carry out or refuse.
    """

    observation: dict[str, Any]
    reward: float
    done: bool
    metadata: dict[str, Any] = field(default_factory=dict)


def step_reply(record: Mapping[str, Any], episode: Episode) -> Reply:
    """Return the reply of a step from its record."""
    metadata = {
        "episode_id": episode.id,
        "episode_return": record["return"],
        "success": record["success"],
        "reward_breakdown": breakdown(record, episode.start.mode),
        "terminated": record["terminated"],
        "truncated": record["truncated"],
        "invalid": record["invalid"] is not None,
        "trace_hash": record["hash"],
        "call_kind": record["outcome"],
        "service": record["call"][0] if record["call"] else None,
        **_in_force(record, episode),
    }
    if record["invalid"] is not None:
        metadata["invalid_reason"] = record["invalid"]
    if "defects" in record:
        metadata["defects"] = record["defects"]
    return Reply(dict(record["observation"]), record["reward"], record["done"], metadata)


def _in_force(record: Mapping[str, Any], episode: Episode) -> dict[str, Any]:
    """Return the chaos under which a step was played; records of earlier versions lack it."""
    start = episode.start.chaos
    chaos = record.get("in_force") or {"level": start.level, "name": start.name}
    return {"chaos": chaos["level"], "chaos_name": chaos["name"]}


def breakdown(record: Mapping[str, Any], mode: RewardMode) -> Sequence[Mapping[str, Any]]:
    """Return the parts of a step's reward; their amounts add up to it.

    In outcome mode the last step pays everything earned earlier, as one extra part.
    """
    if mode is RewardMode.DENSE:
        lines: Sequence[Mapping[str, Any]] = record["ledger"]
        return lines
    if not record["done"]:
        return []
    exact = [Decimal(str(line["amount"])) for line in record["ledger"]]
    earlier = Decimal(str(record["reward"])) - sum(exact, Decimal(0))
    carried = [{"name": "earlier_steps", "amount": float(earlier), "evidence": []}] if earlier else []
    return [*carried, *record["ledger"]]


def state_of(episode: Episode) -> dict[str, Any]:
    """Return OpenEnv's state of an episode, without anything that reveals the answer."""
    return {
        "episode_id": episode.id,
        "step_count": episode.step,
        "scenario": episode.start.scenario,
        "chaos": episode.chaos.level,
        "chaos_name": episode.chaos.name,
        "max_steps": episode.start.max_steps,
        "done": episode.done,
        "sim_now": to_iso(episode.now),
    }


def summary_of(episode: Episode) -> dict[str, Any]:
    """Return an episode as listed for trainers."""
    start = episode.start
    return {
        **state_of(episode),
        "version": start.version,
        "seed": start.seed,
        "faults": episode.faults,
        "size": start.size,
        "rewards": str(start.profile),
        "reward_mode": str(start.mode),
        "guidance": str(start.guidance),
        **start.formats,
        "episode_return": float(episode.paid),
        "success": episode.success,
        "terminated": episode.terminated,
        "truncated": episode.truncated,
        "invalid": episode.invalid is not None,
        "invalid_reason": episode.invalid,
        "trace_hash": episode.hash,
        "origin": episode.origin,
    }


def start_record(
    episode: Episode,
    observation: Mapping[str, Any],
    first_hash: str,
    last_hash: str,
    faults: Sequence[Mapping[str, Any]] = (),
    not_offered: Sequence[str] = (),
) -> dict[str, Any]:
    """Return record 0 of a trace: the start of the episode, and the states of its faults.

    `not_offered` are requested faults that the scenario does not support.
    """
    put = episode.put
    head = {
        **start_document(episode.start, episode.base, observation),
        "chaos_now": None if put is None else {**chaos_summary(put.chaos), "step": put.step},
        "faults": list(faults),
        "not_offered": list(not_offered),
        "origin": episode.origin,
        "hash": first_hash,
    }
    return {**head, "seal": seal(head, last_hash)}


def episode_done(episode: Episode) -> Refusal:
    """Return the refusal of a request that needs an open episode."""
    if (episode.invalid or "").startswith(EXPIRED):
        return _episode_expired(episode)
    # This also answers a call over MCP, which an agent reads; the reason may quote a scenario's code.
    why = " It is invalid and not scored; its grade says why." if episode.invalid else ""
    return Refusal(409, "episode_done", f"This episode is over.{why} Send reset to start another.")


def _episode_expired(episode: Episode) -> Refusal:
    why = (episode.invalid or "").removeprefix(f"{EXPIRED}: ")
    detail = (
        f"This episode was ended after step {episode.step}: {why}. Its records stay for a while. "
        "Send reset to start another, with `snapshot` to go on from one you kept."
    )
    return Refusal(409, "episode_expired", detail)
