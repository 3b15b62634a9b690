"""Episodes that branch, and a model of them: a branch is the actions that led to it from a reset, and nothing else.

The model knows of no layers. The fork law says that it is enough: whichever way led to a branch, it is what an
episode of its own is in which just these actions were played.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from companyos.sdk.scenario import Action, call
from orchestrator.episodes.facade import Episodes, Refusal, Reply, ResetOptions
from tests.forks import forked

from .stack import Stack, episode_id, told

#: One thing to do to a tree: what, and numbers that choose on which branch and how.
Rule = tuple[str, int, int]
MOST_BRANCHES = 5
LONG = call("wait", seconds=604_800)


@dataclass
class Branch:
    """An episode, the actions that led to where it is, and what it answered to them."""

    id: str
    path: list[Action] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)

    @property
    def done(self) -> bool:
        """Whether it takes no further action."""
        return bool(self.replies) and self.replies[-1].done

    def like(self, episode: str) -> "Branch":
        """Return a branch of another episode that stands where this one does."""
        return Branch(episode, list(self.path), list(self.replies))


class Tree:
    """All branches that came of one episode.

    Args:
        pool: Actions to choose from.
        plan: Actions that solve the task in their order.
    """

    def __init__(
        self, stack: Stack, options: dict[str, Any], pool: Sequence[Action], plan: Sequence[Action]
    ) -> None:
        self._stack = stack
        self._options = options
        self._pool = pool
        self._plan = plan
        self._turn = 0
        self.branches: list[Branch] = []
        self.kept: list[Branch] = []

    @property
    def episodes(self) -> Episodes:
        """One replica after the other."""
        self._turn += 1
        return self._stack.replicas[self._turn % len(self._stack.replicas)]

    async def do(self, rule: Rule) -> None:
        """Do what a rule says; one that cannot be done now is left out."""
        name, first, second = rule
        if not self.branches:
            self.branches.append(Branch(episode_id(await self._stack.begin(**self._options))))
        branch = self.branches[first % len(self.branches)]
        await getattr(self, name)(branch, second)

    async def advance(self, branch: Branch, _: int) -> None:
        """Play what the plan says next, after what of it was played already."""
        followed = 0
        for action in branch.path:
            followed += followed < len(self._plan) - 1 and action == self._plan[followed]
        await self._play(branch, self._plan[followed])

    async def act(self, branch: Branch, number: int) -> None:
        """Play any of the pool's actions."""
        await self._play(branch, self._pool[number % len(self._pool)])

    async def act_while_folding(self, branch: Branch, number: int) -> None:
        """Play while long chains are being made short."""
        await asyncio.gather(self.episodes._background_jobs.fold(), self.act(branch, number))

    async def snapshot(self, branch: Branch, _: int) -> None:
        """Keep a branch."""
        if branch.done:
            await self._refused(self.episodes.branches.snapshot(branch.id))
        else:
            self.kept.append(branch.like((await self.episodes.branches.snapshot(branch.id))["snapshot_id"]))

    async def restore(self, branch: Branch, number: int) -> None:
        """Put a branch back to a snapshot, of its own or of another branch."""
        if self.kept:
            kept = self.kept[number % len(self.kept)]
            await self.episodes.branches.restore(branch.id, kept.id)
            self.branches[self.branches.index(branch)] = kept.like(branch.id)

    async def fork(self, branch: Branch, number: int) -> None:
        """Multiply a branch."""
        count = min(1 + number % 3, MOST_BRANCHES - len(self.branches))
        if branch.done:
            await self._refused(self.episodes.branches.fork(branch.id, 1))
        elif count:
            opened = await forked(self.episodes.branches, branch.id, count)
            self.branches += [branch.like(episode) for episode in opened]

    async def begin(self, _: Branch, number: int) -> None:
        """Start an episode from a snapshot."""
        if self.kept and len(self.branches) < MOST_BRANCHES:
            kept = self.kept[number % len(self.kept)]
            begun = await self.episodes.reset(ResetOptions(snapshot=kept.id))
            self.branches.append(kept.like(episode_id(begun)))

    async def reset(self, branch: Branch, _: int) -> None:
        """Start a branch over."""
        begun = await self._stack.begin(**self._options, episode_id=branch.id, replace=True)
        self.branches[self.branches.index(branch)] = Branch(episode_id(begun))

    async def drop(self, _: Branch, number: int) -> None:
        """Forget a snapshot."""
        if self.kept:
            await self.episodes.branches.drop(self.kept.pop(number % len(self.kept)).id)

    async def close(self, branch: Branch, _: int) -> None:
        """Close a branch."""
        self.branches.remove(branch)
        await self.episodes.close(branch.id)

    async def deepen(self, branch: Branch, number: int) -> None:
        """Make a chain long: a snapshot after every step."""
        for step in range(9):
            await self.snapshot(branch, 0)
            await self.act(branch, number + step)

    async def detour(self, branch: Branch, number: int) -> None:
        """Keep a branch, let something happen and everything fall due, and go back as if nothing had been."""
        if not branch.done:
            await self.snapshot(branch, 0)
            await (self.act(branch, number) if number % 2 else self.advance(branch, 0))
            if not branch.done:
                await self._play(branch, LONG)
            await self.restore(branch, -1)

    async def felled(self) -> None:
        """Close and forget all of it."""
        for branch in self.branches:
            await self.episodes.close(branch.id)
        for kept in self.kept:
            await self.episodes.branches.drop(kept.id)

    async def _play(self, branch: Branch, action: Action) -> None:
        if branch.done:
            await self._refused(self.episodes.step(branch.id, action))
            return
        branch.replies.append(await self.episodes.step(branch.id, action, step=len(branch.path) + 1))
        branch.path.append(action)

    async def _refused(self, request: Any) -> None:
        with pytest.raises(Refusal) as caught:
            await request
        assert (caught.value.status, caught.value.code) == (409, "episode_done")


async def played_alone(stack: Stack, options: dict[str, Any], path: Sequence[Action]) -> Branch:
    """Return a new episode in which just these actions were played."""
    alone = Branch(episode_id(await stack.begin(**options)))
    for action in path:
        alone.replies.append(await stack.replicas[0].step(alone.id, action))
        alone.path.append(action)
    return alone


async def answers_again(episodes: Episodes, branch: Branch) -> list[Any]:
    """Return what a branch answers when each of its steps is sent once more."""
    again = [
        await episodes.step(branch.id, action, step=number)
        for number, action in enumerate(branch.path, start=1)
    ]
    return [told(reply) for reply in again]
