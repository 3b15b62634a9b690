"""How a step is concluded: graded, written down and chained to the step before."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from .actions import Action
from .calls import Done, Scene
from .grading import Advance
from .intents import Finishes, Refuses
from .observations import ErrorType, Said, ToolError, observation
from .records import Episode, Record
from .rewards import NOTHING, Deed, Ending, entries, payout, total
from .store import Played
from .trace import next_hash
from .turn import Turn


@dataclass(frozen=True)
class Conclusion:
    """A step's record with its hashes, as JSON, and the episode after it."""

    record: dict[str, Any]
    played: Played


def concluded(done: Done, turn: Turn, scene: Scene, action: Action, took_ms: float) -> Conclusion:
    """Grade what was done and return the step's conclusion.

    The scene's company takes the step in: where the conclusion is not committed, it must not be used again.
    """
    episode = scene.episode
    advance, ending = _judged(done, turn, scene)
    standing = scene.company.progress.standing
    lines = entries(episode.start.profile, Deed(done.call, advance.moved, advance.harmed, ending, standing))
    earned, over = total(lines), ending is not None
    record = Record(
        step=turn.number,
        action=action.canonical,
        observation=observation(
            done.said,
            step=turn.number,
            max_steps=episode.start.max_steps,
            now=turn.agenda.now,
            elapsed_s=turn.elapsed_s,
        ),
        reward=payout(episode.start.mode, earlier=episode.total, now=earned, done=over),
        done=over,
        now=turn.agenda.now,
        events=turn.events,
        changes=turn.changes,
        faults=[*([done.fault] if done.fault else []), *done.armed, *turn.faults],
        ledger=lines,
        outside=advance.outside,
        violation=done.violation,
        call=done.operation,
        took_ms=took_ms,
        put=episode.put_since,
    )
    return _chained(record, turn, episode, episode.total + earned, ending)


def stopped(action: Action, episode: Episode, why: str, took_ms: float) -> Conclusion:
    """Return the conclusion of a step the stack could not carry out: the episode ends and nobody may score it."""
    number = episode.step + 1
    message = f"This episode was stopped and is not scored: {why}. Send reset to start another."
    said = Said(error=ToolError(ErrorType.TRANSPORT, "episode_invalid", message), text=message)
    record = Record(
        step=number,
        action=action.canonical,
        observation=observation(
            said, step=number, max_steps=episode.start.max_steps, now=episode.now, elapsed_s=0
        ),
        reward=NOTHING,
        done=True,
        now=episode.now,
        events=[],
        changes=[],
        faults=[],
        ledger=[],
        outside=[],
        violation=None,
        call=None,
        took_ms=took_ms,
        put=episode.put_since,
    )
    played = Played(
        step=number,
        now=episode.now,
        due=episode.due,
        total=episode.total,
        hash=next_hash(episode.hash, record.document),
        done=True,
        truncated=True,
        invalid=why,
    )
    return Conclusion(_document(record, episode, played), played)


def _judged(done: Done, turn: Turn, scene: Scene) -> tuple[Advance, Ending | None]:
    progress = scene.company.progress
    if done.violation is not None:
        progress.note_violation(turn.number, done.violation)
    advance = progress.advance(turn.number, turn.written)
    match done.ends:
        case Finishes():
            return advance, progress.finished()
        case Refuses(reason_code, evidence):
            return advance, progress.refused(reason_code, evidence)
    timeout = turn.number >= scene.episode.start.max_steps
    return advance, Ending.TIMEOUT if timeout else None


def _chained(
    record: Record, turn: Turn, episode: Episode, ledger_total: Decimal, ending: Ending | None
) -> Conclusion:
    played = Played(
        step=turn.number,
        now=turn.agenda.now,
        due=turn.agenda.due,
        total=ledger_total,
        hash=next_hash(episode.hash, record.document),
        done=ending is not None,
        terminated=ending is not None and ending is not Ending.TIMEOUT,
        truncated=ending is Ending.TIMEOUT,
        success=ending.succeeded if ending else None,
    )
    return Conclusion(_document(record, episode, played), played)


def _document(record: Record, episode: Episode, played: Played) -> dict[str, Any]:
    return {
        **record.document,
        "in_force": {"level": episode.chaos.level, "name": episode.chaos.name},
        "return": float(episode.paid + record.reward),
        "success": played.success,
        "terminated": played.terminated,
        "truncated": played.truncated,
        "invalid": played.invalid,
        "previous": episode.hash,
        "hash": played.hash,
    }
