"""What a pointer policy reads of an episode, and the vocabulary of phrases that it takes from demonstrations."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..rollouts import Rollout
from .calls import HOLE, OutOfReach, Path, Vocabulary, choices_of, enumerated
from .occurrences import History, Scalar


def begin(episode: Rollout, vocabulary: Vocabulary) -> History:
    """Return the history of an episode's reset, with the vocabulary and the prefix, if it has one."""
    tools = {tool["name"]: tool for tool in episode.start["tools"]}
    constants = [value for values in vocabulary.values() for value in values]
    history = History(episode.start, (*enumerated(tools), *constants))
    for each in episode.start.get("prefix", ()):
        history.add(each["action"], each["observation"])
    return history


def learn_vocabulary(episodes: Sequence[Rollout], *, at_least: int = 2) -> Vocabulary:
    """Return the phrases that at least so many pairs of seeds used for an argument without having seen them.

    A text that one pair uses alone is a fact of its company and would only be learned by heart.
    """
    vocabulary: dict[Path, tuple[Scalar, ...]] = {}
    while found := _phrases(episodes, vocabulary, at_least):
        for path, values in found.items():
            vocabulary[path] = (*vocabulary.get(path, ()), *values)
    return vocabulary


def _phrases(
    episodes: Sequence[Rollout], vocabulary: Vocabulary, at_least: int
) -> dict[Path, tuple[Scalar, ...]]:
    """Return phrases for what is missing; a call shows its first missing value only, so ask again with these."""
    users: dict[Path, dict[Scalar, set[int]]] = defaultdict(lambda: defaultdict(set))
    for episode in episodes:
        for path, value, history in _missing(episode, vocabulary):
            for phrase in (value, *_with_hole(value, history)):
                users[path][phrase].add(episode.options["seed"] // 2)
    found = {}
    for path, pairs in sorted(users.items()):
        counts = {phrase: len(seeds) for phrase, seeds in pairs.items() if len(seeds) >= at_least}
        texts = [phrase for phrase in counts if HOLE in str(phrase)]
        best = max(texts, key=lambda phrase: (counts[phrase], str(phrase)), default=None)
        constants = [
            phrase for phrase in counts if phrase not in texts and counts[phrase] >= counts.get(best, 0)
        ]
        if constants or best is not None:
            found[path] = tuple(sorted(constants, key=str) or [best])
    return found


def _missing(episode: Rollout, vocabulary: Vocabulary) -> Iterator[tuple[Path, Scalar, History]]:
    """Yield the values that could not be chosen, each with the history at that time."""
    history = begin(episode, vocabulary)
    for turn in episode.turns:
        try:
            choices_of(history, vocabulary, turn.action)
        except OutOfReach as failure:
            if isinstance(failure.value, str | int | float):
                yield failure.path, failure.value, history
        history.add(turn.action, turn.observation)


def _with_hole(text: Scalar, history: History) -> Iterator[str]:
    """Yield the text with a hole in the place of each seen value in it."""
    if isinstance(text, str):
        for position in history.seen:
            value = history.values[position]
            if isinstance(value, str) and 2 < len(value) < len(text) and value in text:
                yield text.replace(value, HOLE, 1)
