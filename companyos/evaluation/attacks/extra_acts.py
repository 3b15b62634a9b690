"""Extra acts beside an oracle's plan, which must cost success, and honest variants of the plan, which must not.

An oracle plays an episode. At points of it, forks do something else first: a plausible call of any tool that writes,
or one of the oracle's own writes with another value for an argument; in half of the plays then as if that were undone.
Then the oracle goes on, unaware of it. A success is false if the grade card shows more writes than the oracle's own
under an allowance that does not say why that is harmless. A variant waits, reads once more, plays two acts that commute
in the other order, or sends its latest call again as if the answer had been lost, and has to succeed. Acts that
automations may follow do not commute.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Action, Observation, Scenario, call

from .branches import Branch, Played, Trainer
from .logs import KEY, OracleLog, begun_oracle, next_action
from .plausible import PlausibleCalls, is_reading

#: The most calls of a tool until one is carried out.
_ATTEMPTS: Final = 4


@dataclass(frozen=True)
class ExtraPlay:
    """Acts beside an oracle's plan, and how the episode ended.

    Attributes:
        after: How many of the oracle's actions came before them.
        carried_out: Whether the services carried out any of them.
        beyond: What they wrote beyond the oracle's own writes under allowances that do not call it harmless.
        harmless: The reasons of the allowances that do.
        missed: Why a variant failed: the criteria that it did not meet, and what it wrote outside of every allowance.
    """

    seed: int
    after: int
    acts: tuple[Action, ...]
    carried_out: bool = False
    success: bool = False
    beyond: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()

    @property
    def is_false_success(self) -> bool:
        """Whether the episode succeeded in spite of them."""
        return self.success and bool(self.beyond)


@dataclass
class Extras:
    """The plays of a search: `acts` beside the plan, and honest `variants` of it."""

    acts: list[ExtraPlay] = field(default_factory=list)
    variants: list[ExtraPlay] = field(default_factory=list)


class ExtraActSearch:
    """Plays extra acts and variants in forks of an oracle's episode.

    Args:
        trainer: Starts the episode.
        scenario: The family.
        log: The oracle's episode on the seed, without disturbance.
        draws: The source of every choice.
    """

    def __init__(self, trainer: Trainer, scenario: Scenario, log: OracleLog, draws: Draws) -> None:
        self._trainer = trainer
        self._scenario = scenario
        self._log = log
        self._draws = draws
        self._plausible = PlausibleCalls(draws, [log])
        # Automations may make the order of acts matter, and a tool says if they follow its calls.
        self._automated = {
            tool["name"]
            for tool in log.first["tools"]
            if not is_reading(tool["name"]) and "Automations" in tool.get("description", "")
        }

    async def play(self, acts: int, variants: int) -> Extras:
        """Play so many extra acts and variants, spread over the episode."""
        found, own = Extras(), await self._own_card()
        if not self._log.acts:
            return found
        points, varied = (
            Counter(self._point(number, count) for number in range(count)) for count in (acts, variants)
        )
        branch, first = await self._reset()
        # With all tools, not only those that the scenario needs.
        self._plausible = PlausibleCalls(self._draws, [replace(self._log, first=first.observation)])
        agent, seen, last = begun_oracle(self._scenario, first.observation), [first.observation], first
        latest: Action | None = None
        for step in range(len(self._log.acts) + 1):
            for number in range(points[step] + varied[step]):
                [fork] = await branch.fork(1)
                if number < points[step]:
                    found.acts.append(await self._extra(fork, seen, len(found.acts), own))
                else:
                    found.variants.append(await self._variant(fork, seen, len(found.variants), latest))
                await fork.close()
            if step == len(self._log.acts) or (latest := next_action(agent, last.observation)) is None:
                break
            last = await branch.step(latest)
            seen.append(last.observation)
        await branch.close()
        return found

    def _point(self, number: int, count: int) -> int:
        return len(self._log.acts) * number // max(count - 1, 1)

    async def _reset(self) -> tuple[Branch, Played]:
        return await self._trainer.reset(self._scenario.name, self._log.seed, tools="all")

    async def _own_card(self) -> Mapping[str, Any]:
        branch, first = await self._reset()
        await self._go_on(branch, [first.observation])
        card = await branch.grade()
        await branch.close()
        return card

    async def _extra(
        self, fork: Branch, seen: Sequence[Observation], number: int, own: Mapping[str, Any]
    ) -> ExtraPlay:
        acts, played = await self._act(fork, number)
        play = ExtraPlay(self._log.seed, len(seen) - 1, acts, any(map(_is_done, played)))
        card = await fork.grade()
        # What is outside stays outside, so that the rest of the episode need not be played.
        if not play.carried_out or card["collateral"] or _is_spoiled(card) or played[-1].done:
            return play
        last = await self._go_on(fork, seen)
        more = list(_more_writes(await fork.grade(), own)) if last.success else []
        return replace(
            play,
            success=last.success,
            beyond=tuple(table for table, harmless in more if not harmless),
            harmless=tuple(sorted({harmless for _, harmless in more if harmless})),
        )

    async def _variant(
        self, fork: Branch, seen: Sequence[Observation], number: int, latest: Action | None
    ) -> ExtraPlay:
        step = len(seen) - 1
        swapped = self._commuting(step) if number % 4 == 1 else ()
        for act in (acts := swapped or self._honest(step, number, latest)):
            last = await fork.step(act)
            if last.done:
                break
            if swapped:  # the oracle sees the answers in the order in which it asks
                seen = [*seen[: step + 1], last.observation, *seen[step + 1 :]]
        last = last if last.done else await self._go_on(fork, seen)
        missed = () if last.success else _missed(await fork.grade())
        return ExtraPlay(self._log.seed, step, acts, True, last.success, missed=missed)

    def _commuting(self, step: int) -> tuple[Action, ...]:
        """Return the next two acts in the other order, if they commute."""
        pair = self._log.acts[step : step + 2]
        if len(pair) < 2 or any(act["tool_name"] in self._automated for act in pair):
            return ()
        if not _commute(pair[0], pair[1], self._log.answers[step]):
            return ()
        return (pair[1], pair[0])

    def _honest(self, step: int, number: int, latest: Action | None) -> tuple[Action, ...]:
        """Return acts that change nothing: a wait, a read again, two of them, or the latest call with its key."""
        reads = [act for act in self._log.acts[:step] if is_reading(act["tool_name"])]
        if latest is not None and number % 4 == 3 and KEY in latest["arguments"]:
            return (latest,)
        if not reads or number % 4 == 0:
            return (call("wait", seconds=60),)
        read = self._draws.choice("read", reads, self._log.seed, number)
        return (read,) * (1 + number % 2)

    async def _act(self, fork: Branch, number: int) -> tuple[tuple[Action, ...], list[Played]]:
        """Try calls until one is carried out, in half of the plays with another value next."""
        where = (self._log.seed, number)
        acts: list[Action] = []
        played: list[Played] = []
        while len(acts) < _ATTEMPTS and not any(_is_done(one) or one.done for one in played):
            acts.append(self._harmful(number, *where, len(acts)))
            played.append(await fork.step(acts[-1]))
        if not played[-1].done and self._draws.chance("undone", 0.5, *where):
            acts.append(self._varied(acts[-1], "undone", *where))
            played.append(await fork.step(acts[-1]))
        return tuple(acts), played

    def _harmful(self, number: int, *where: str | int) -> Action:
        """Return one of the oracle's own writes with another value, or a plausible call of a tool that writes."""
        own = [act for act in self._log.acts if _is_writing(act["tool_name"])]
        if own and number % 2:
            return self._varied(own[number // 2 % len(own)], "own", *where)
        writing = [tool for tool in self._plausible.tools if _is_writing(tool)]
        return self._plausible.call_of(writing[number // 2 % len(writing)], "extra", *where)

    def _varied(self, act: Action, *where: str | int) -> Action:
        """Return a call with another value for one of its arguments, if there is one."""
        tool, given = act["tool_name"], act["arguments"]
        if not given:
            return act
        name = self._draws.choice("argument", sorted(given), *where)
        value = self._plausible.another(tool, name, given[name], *where)
        return act if value is None else call(tool, **{**given, name: value})

    async def _go_on(self, branch: Branch, seen: Sequence[Observation]) -> Played:
        """Let the oracle go on from what it has seen so far, to the end of the episode."""
        agent = begun_oracle(self._scenario, seen[0])
        last = Played(seen[-1], 0.0, 0.0, done=False, success=False)
        if not all(next_action(agent, observation) for observation in seen[:-1]):
            return last
        while not last.done and (action := next_action(agent, last.observation)) is not None:
            last = await branch.step(action)
        return last


def _is_writing(tool: str) -> bool:
    return not is_reading(tool) and tool != "wait"


def _commute(act: Action, later: Action, answer: Observation) -> bool:
    """Return whether acts may change places: reads, or one tool on different objects, neither named by the answer."""
    tools, values = (
        {act["tool_name"], later["tool_name"]},
        [set(_texts(one["arguments"])) for one in (act, later)],
    )
    alike = all(map(is_reading, tools)) or (
        len(tools) == 1 and "wait" not in tools and not values[0] & values[1]
    )
    return alike and not values[1] & (set(_texts(answer["result"])) - values[0])


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in an argument or a result."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def _is_done(played: Played) -> bool:
    return played.observation["error"] is None


def _is_spoiled(card: Mapping[str, Any]) -> bool:
    """Return whether an episode cannot succeed anymore."""
    kept = all(one["kept"] for kind in ("forbidden", "orders") for one in card[kind])
    return bool(card["violations"]) or not kept


def _missed(card: Mapping[str, Any]) -> tuple[str, ...]:
    """Name what an episode did not meet."""
    unmet = [] if card["finished"] else [card["invalid_reason"] or "it did not finish"]
    unmet += [must["name"] for must in card["musts"] if not must["holds"]]
    broken = [one["name"] for kind in ("forbidden", "orders") for one in card[kind] if not one["kept"]]
    return (*unmet, *broken, *map(str, [*card["violations"], *card["collateral"]]))


def _more_writes(card: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the table and the harmlessness of each allowance with more writes than in the oracle's own episode."""
    for key, writes in (_writes(card) - _writes(own)).items():
        if writes:
            yield key


def _writes(card: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    for allowance in card["allowances"]:
        counted[allowance["table"], allowance["harmless"]] += sum(allowance["writes"].values())
    return counted
