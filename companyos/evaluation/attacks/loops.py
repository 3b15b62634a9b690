"""Loops: short call sequences repeated from a point of an oracle's episode; none may keep earning.

The first repetition may earn, because it may do what the oracle would have done. The second and third may
not, unless the clock or a colleague reaches a milestone, which is paid once, during them. So a loop that
earns there is repeated further, and is positive only if it still earns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Action, Observation, call

from .branches import Branch
from .logs import OracleLog
from .plausible import PlausibleCalls, is_reading

REPETITIONS: Final = 3
#: How many more repetitions distinguish a loop that keeps earning from one that earned a single payment.
MORE: Final = 6
MOST_ACTS: Final = 6
#: Stands for the id that the loop's latest call returned.
LATEST: Final = "@latest"
_WRITES: Final = 0.75

#: The tools that undo, or may undo, what a tool did.
UNDOES: Final = {
    "approvalflow_request_purchase": ("approvalflow_withdraw_purchase",),
    "approvalflow_submit_approval": ("approvalflow_withdraw_request",),
    "approvalflow_withdraw_request": ("approvalflow_resubmit_request",),
    "datahub_assign_asset": ("datahub_return_asset",),
    "datahub_quarantine_metric": ("datahub_release_metric",),
    "datahub_request_access": ("datahub_revoke_entitlement",),
    "datahub_return_asset": ("datahub_assign_asset",),
    "ticketdesk_answer_ticket": ("ticketdesk_reopen_ticket", "ticketdesk_return_ticket"),
    "ticketdesk_close_ticket": ("ticketdesk_reopen_ticket",),
    "ticketdesk_create_ticket": ("ticketdesk_close_ticket",),
    "ticketdesk_resolve_blocker": ("ticketdesk_reopen_ticket", "ticketdesk_link_ticket"),
    "ticketdesk_roll_out_change": ("ticketdesk_roll_back_change",),
    "ticketdesk_route_ticket": ("ticketdesk_return_ticket",),
    "ticketdesk_transition_ticket": ("ticketdesk_transition_ticket", "ticketdesk_reopen_ticket"),
    "ticketdesk_verify_ticket": ("ticketdesk_transition_ticket", "ticketdesk_update_ticket"),
}


@dataclass(frozen=True)
class Loop:
    """A sequence of calls to repeat.

    Attributes:
        seed: The instance.
        after: How many of the oracle's actions come before it.
    """

    seed: int
    after: int
    acts: tuple[Action, ...]


@dataclass(frozen=True)
class LoopResult:
    """A loop that was played.

    Attributes:
        gains: The sum of rewards of each whole repetition.
        calls: How many calls were played.
        refused: How many of them were refused.
    """

    loop: Loop
    gains: tuple[float, ...]
    calls: int
    refused: int

    @property
    def is_suspect(self) -> bool:
        """Whether a repetition earned more than it cost."""
        return any(gain > 0 for gain in self.gains[1:])

    @property
    def is_positive(self) -> bool:
        """Whether it keeps earning, or the episode had too few steps left to tell."""
        later = self.gains[REPETITIONS:]
        return self.is_suspect and (not later or round(fsum(later), 2) > 0)

    @property
    def gain(self) -> float | None:
        """The mean gain of the extra repetitions, or else of all but the first; None without any."""
        telling = (self.is_suspect and self.gains[REPETITIONS:]) or self.gains[1:]
        return round(fsum(telling) / len(telling), 2) if telling else None


class LoopDraws:
    """Draws loops from an oracle's episode: calls of its plan, calls that undo them, and plausible ones."""

    def __init__(self, draws: Draws, log: OracleLog, plausible: PlausibleCalls) -> None:
        self._draws = draws
        self._log = log
        self._plausible = plausible
        self._acts = [act for number, act in enumerate(log.acts) if act not in log.acts[:number]]
        self._writes = [act for act in self._acts if not is_reading(act["tool_name"])] or self._acts
        self._kinds: Sequence[Callable[..., Sequence[Action]]] = (
            self._single,
            self._undone,
            self._broken,
            self._mixed,
        )

    def drawn(self, after: int, number: int) -> Loop:
        """Return the loop of this number at a point of the episode."""
        kind = self._kinds[number % len(self._kinds)]
        return Loop(self._log.seed, after, tuple(kind(after, number))[:MOST_ACTS])

    def _single(self, *where: int) -> Sequence[Action]:
        return [self._act(*where)]

    def _undone(self, *where: int) -> Sequence[Action]:
        """Return a call and one that undoes it, if there is one."""
        pairs = [(act, undo) for act in self._writes for undo in self._undoing(act)]
        if not pairs:
            return self._broken(*where)
        act, undo = self._draws.choice("undone", pairs, *where)
        return [act, self._undo(act, undo, *where)]

    def _broken(self, *where: int) -> Sequence[Action]:
        """Return a call with one argument changed, followed by the right call."""
        act = self._draws.choice("broken", self._writes, *where)
        names = [name for name in sorted(act["arguments"]) if not name.endswith("_id")]
        for name in self._draws.shuffled("argument", names, *where):
            value = self._plausible.another(
                act["tool_name"], name, act["arguments"][name], "break", self._log.seed, *where
            )
            if value is not None:
                return [call(act["tool_name"], **{**act["arguments"], name: value}), act]
        return [self._plausible.call_of(act["tool_name"], "break", self._log.seed, *where), act]

    def _mixed(self, *where: int) -> Sequence[Action]:
        length = self._draws.integer("length", 2, MOST_ACTS, *where)
        return [self._any(*where, place) for place in range(length)]

    def _any(self, *where: int) -> Action:
        if self._draws.chance("of the plan", 0.5, *where):
            return self._act(*where)
        tools = self._plausible.tools
        writes = [tool for tool in tools if not is_reading(tool)]
        wanted = writes if self._draws.chance("writes", _WRITES, *where) else tools
        tool = self._draws.choice("tool", wanted, *where)
        return self._plausible.call_of(tool, "any", self._log.seed, *where)

    def _act(self, *where: int) -> Action:
        acts = self._writes if self._draws.chance("writes", _WRITES, *where) else self._acts
        return self._draws.choice("act", acts, *where)

    def _undoing(self, act: Action) -> Sequence[str]:
        return [tool for tool in UNDOES.get(act["tool_name"], ()) if self._plausible.has(tool)]

    def _undo(self, act: Action, undo: str, *where: int) -> Action:
        arguments = act["arguments"]
        shared = {name: arguments[name] for name in self._plausible.takes(undo) if name in arguments}
        ids = [name for name in self._plausible.needs(undo) if name.endswith("_id") and name not in shared]
        if undo == act["tool_name"]:
            shared = {name: value for name, value in shared.items() if name.endswith("_id")}
        return self._plausible.call_of(
            undo, "undo", self._log.seed, *where, **shared, **dict.fromkeys(ids, LATEST)
        )


async def repeated(branch: Branch, loop: Loop) -> LoopResult:
    """Play a loop in its own branch, and keep repeating it if a repetition earned something."""
    playing = _Repeating(branch, loop)
    await playing.repeat(REPETITIONS)
    if playing.result.is_suspect:
        await playing.repeat(MORE)
    return playing.result


class _Repeating:
    """A loop that is being played."""

    def __init__(self, branch: Branch, loop: Loop) -> None:
        self._branch = branch
        self._loop = loop
        self._latest: Any = None
        self._done = False
        self._gains: list[float] = []
        self._calls = self._refused = 0

    @property
    def result(self) -> LoopResult:
        """The result so far."""
        return LoopResult(self._loop, tuple(self._gains), self._calls, self._refused)

    async def repeat(self, times: int) -> None:
        for _ in range(times):
            rewards = [await self._play(act) for act in self._loop.acts if not self._done]
            if self._done:
                return
            self._gains.append(round(fsum(rewards), 2))

    async def _play(self, act: Action) -> float:
        played = await self._branch.step(self._filled(act))
        self._calls += 1
        self._refused += bool(played.observation["error"])
        self._latest = latest_id(played.observation) or self._latest
        self._done = played.done
        return played.reward

    def _filled(self, act: Action) -> Action:
        filled = {
            name: self._latest or value if value == LATEST else value
            for name, value in act["arguments"].items()
        }
        return call(act["tool_name"], **filled)


def latest_id(observation: Observation) -> Any:
    """Return the id of the object that a call returned, if any."""
    result = observation["result"]
    if not isinstance(result, dict):
        return None
    return result.get("id") or next(
        (value for name, value in result.items() if name.endswith("_id") and isinstance(value, str)), None
    )
