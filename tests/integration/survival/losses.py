"""Trainers of a stack that may forget its last instants: they remember every answer, and go on where they are told."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cases import EpisodePlan, Wanderer
from .killer import Pulse
from .plays import AT_ONCE
from .stacks import Rows, Stack, differences
from .trainers import Answer, PlainTrainer, Told

#: Answered steps of a story.
STEPS = 24
#: How a trainer learns that steps it was answered are gone: the number is not the next one; there is no such episode.
SAYS_SO = {"step_out_of_order", "episode_unknown"}


@dataclass
class Story:
    """One episode as its trainer tells it.

    Attributes:
        losses: How many answered steps were gone, each time the server said so.
        lost: The actions of the steps that were gone last.
        gone: Whether the episode itself went.
        silent: What was gone or different without a word.
    """

    case: EpisodePlan
    episode_id: str
    answers: list[Answer]
    actions: list[Any] = field(default_factory=list)
    losses: list[int] = field(default_factory=list)
    lost: list[Any] = field(default_factory=list)
    gone: bool = False
    silent: list[str] = field(default_factory=list)
    trace: list[dict[str, Any]] = field(default_factory=list)
    world: Rows | None = None

    @property
    def hashes(self) -> list[str]:
        """The chain of the steps that were answered."""
        return [str(answer.metadata["trace_hash"]) for answer in self.answers]

    @property
    def over(self) -> bool:
        """Whether nothing follows. It stops before its end, since what is left of an ended episode soon goes."""
        return self.gone or self.invalid is not None or len(self.actions) >= STEPS

    @property
    def invalid(self) -> str | None:
        """Why it may not be scored, None where it may."""
        reason: str | None = self.answers[-1].metadata.get("invalid_reason")
        return reason

    async def learn(self, stack: Stack, told: Told) -> None:
        """Take in that the server stands elsewhere: see that it remembers a beginning of what it answered."""
        if told.code not in SAYS_SO:
            raise told
        if told.code == "episode_unknown":
            self.gone = True
            self.losses.append(len(self.actions))
            return
        trace = await stack.get(f"/episodes/{self.episode_id}/trace")
        step = len(trace) - 1
        if step >= len(self.actions) or [record["hash"] for record in trace] != self.hashes[: step + 1]:
            self.silent.append(
                f"{told}, but {len(self.actions)} were answered and {step} other ones recorded"
            )
        self.losses.append(len(self.actions) - step)
        self.lost = self.actions[step:]
        del self.actions[step:], self.answers[step + 1 :]


async def begin(case: EpisodePlan, trainer: PlainTrainer) -> Story:
    """Begin an episode."""
    answer = await trainer.reset(case.options)
    return Story(case, trainer.episode_id, [answer])


async def play_on(
    over: asyncio.Event, stack: Stack, story: Story, trainer: PlainTrainer, pulse: Pulse
) -> None:
    """Play a story until it is over; after a loss it goes on with other actions than those that were lost."""
    player = Wanderer(story.case.seed, least_steps=STEPS)
    player.start(story.answers[0].observation)
    while not (story.over or over.is_set()):
        action = player.act(story.answers[-1].observation)
        if story.losses:
            action = _otherwise(action, sum(story.losses) + len(story.losses))
        await _step(stack, story, trainer, action)
        await pulse.beat()


def _otherwise(action: Any, turn: int) -> Any:
    """Return an action that is rarely the one that was lost."""
    arguments = action["arguments"]
    return {**action, "arguments": {**arguments, "seconds": 600 * turn}} if "seconds" in arguments else action


async def _step(stack: Stack, story: Story, trainer: PlainTrainer, action: Any) -> None:
    number = len(story.actions) + 1
    if story.lost and not await trainer.is_free(action, number):
        # The crash left that step begun, and it is to be completed by the action it was begun with.
        action = story.lost[0]
    try:
        answer = await trainer.step(action, number)
    except Told as told:
        await story.learn(stack, told)
        return
    story.actions.append(action)
    story.answers.append(answer)
    story.lost = story.lost[1:]
    if answer.observation["step"] != len(story.actions):
        story.silent.append(f"step {len(story.actions)} was played as step {answer.observation['step']}")


async def confirm(stack: Stack, story: Story) -> None:
    """Send the last step once more: its answer is the same, or the server says that it is gone. Then look at it all."""
    trainer = PlainTrainer(stack.url)
    trainer.episode_id = story.episode_id
    if story.actions and not story.gone:
        try:
            again = await trainer.step(story.actions[-1], len(story.actions))
            if again.metadata["trace_hash"] != story.hashes[-1]:
                story.silent.append("the last step is another one now")
        except Told as told:
            await story.learn(stack, told)
    # What a crash left begun is completed, or its rows would be there without a record: also a first step.
    while story.lost and not story.gone:
        await _step(stack, story, trainer, story.lost[0])
    await trainer.close()
    if not story.gone:
        story.trace = await stack.get(f"/episodes/{story.episode_id}/trace")
        story.world = await stack.world_of(story.episode_id)


async def wrongs(stack: Stack, story: Story) -> list[str]:
    """Return what is wrong with a story: what nobody said, and what differs from the same actions played in peace."""
    if story.gone:
        return story.silent
    if story.invalid is not None:
        # Its steps are numbered, so that it always can go on where the database stands.
        return [*story.silent, f"ended without need: {story.invalid}"]
    found = list(story.silent)
    if [record["hash"] for record in story.trace] != story.hashes:
        found.append("another trace is recorded than was answered")
    again = await _again(stack, story)
    if again.hashes != story.hashes:
        found.append(
            f"the same actions in peace lead elsewhere from step {_first_difference(again, story)} on"
        )
    return found + differences(story.world, again.world)


async def _again(stack: Stack, story: Story) -> Story:
    trainer = PlainTrainer(stack.url)
    again = await begin(story.case, trainer)
    for number, action in enumerate(story.actions, 1):
        again.answers.append(await trainer.step(action, number))
    again.world = await stack.world_of(again.episode_id)
    await trainer.close()
    return again


def _first_difference(one: Story, other: Story) -> int:
    pairs = enumerate(zip(one.hashes, other.hashes, strict=True))
    return next(number for number, (left, right) in pairs if left != right)


async def tell_until(
    over: asyncio.Event, stack: Stack, cases: Iterator[EpisodePlan], pulse: Pulse, *, at_once: int
) -> list[Story]:
    """Play stories, so many at a time, until it is over; then confirm each."""
    told: list[Story] = []

    async def work() -> None:
        trainer = PlainTrainer(stack.url)
        while not over.is_set():
            story = await begin(next(cases), trainer)
            told.append(story)
            await play_on(over, stack, story, trainer, pulse)
        await trainer.close()

    await asyncio.gather(*(work() for _ in range(at_once)))
    await _each(lambda story: confirm(stack, story), told, at_once)
    return told


async def all_wrongs(stack: Stack, stories: Sequence[Story]) -> list[str]:
    """Return what is wrong with any of these stories."""
    found: list[str] = []

    async def look_at(story: Story) -> None:
        found.extend(f"{story.case}: {wrong}" for wrong in await wrongs(stack, story))

    await _each(look_at, stories, AT_ONCE)
    return found


async def _each(work: Callable[[Story], Awaitable[None]], stories: Sequence[Story], at_once: int) -> None:
    left = iter(stories)

    async def some() -> None:
        for story in left:
            await work(story)

    await asyncio.gather(*(some() for _ in range(at_once)))
