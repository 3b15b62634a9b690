"""The network of the pointer policy, which knows relations of values and no scenario.

Each occurrence of a value hears from those in other turns with the same value, from those of the same object and of the
same turn, from its neighbors in a list, and from the next smaller and the next larger number, or time. What is noticed
in the turns, read in order, says what to do next; a decoder then chooses the tool and each argument by pointing at
values, and at the places where they occur.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from .calls import Slot, Special
from .features import HASHES, NUMBERS, Choices, State, States, choices, path_words, side_by_side

_OLDEST: Final = 15
_TIMES: Final = 3


class PointerNetwork(nn.Module):
    """Scores the options of each choice.

    Args:
        width: Size of the vectors.
        rounds: How often occurrences hear from related ones.
    """

    def __init__(self, width: int = 64, rounds: int = 2) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(HASHES, width, mode="mean", padding_idx=0)
        self.names = nn.EmbeddingBag(HASHES, width, mode="mean", padding_idx=0)
        self.numbers = nn.Linear(NUMBERS + _TIMES, width)
        self.ages = nn.Embedding(_OLDEST + 1, width)
        self.known = nn.Embedding(2, width)
        self.hear = nn.ModuleList(_Block(8 * width, width) for _ in range(rounds))
        self.notice = _Block(width, width)
        self.turn = nn.Sequential(nn.LayerNorm(2 * width), nn.Linear(2 * width, width), nn.LayerNorm(width))
        self.story = nn.GRU(width, width, batch_first=True)
        self.begin = nn.Sequential(nn.LayerNorm(3 * width), nn.Linear(3 * width, width), nn.LayerNorm(width))
        self.key = nn.Linear(3 * width, width)
        self.place = nn.Linear(width, width)
        self.specials = nn.Parameter(torch.randn(len(Special), width) / width**0.5)
        self.decoder = nn.GRU(2 * width, width, batch_first=True)
        self.query = _Block(2 * width, width)
        self.width = width

    def read(self, states: Sequence[State]) -> "Read":
        """Read what agents know."""
        batch = side_by_side(states)
        values = self.words(batch.words) + self.numbers(batch.numbers)
        heard = values[batch.value] + self.names(batch.paths) + self.ages(batch.age.clamp(max=_OLDEST))
        _, here = torch.unique(torch.stack([batch.value, batch.turn]), dim=1, return_inverse=True)
        ones = torch.ones(len(here), 1)
        heard = heard + self.known((_sums(ones, batch.value) > _sums(ones, here)).squeeze(1).long())
        link = batch.is_link[batch.value].unsqueeze(1)
        lower, higher = batch.below
        former, later = batch.beside
        for block in self.hear:
            by_value = _mean(heard, batch.value, len(values))
            related = (
                _mean_elsewhere(heard, batch.value, here) * link,
                _mean(heard, batch.owner, batch.owners)[batch.owner],
                _mean(heard, batch.turn, sum(batch.turn_counts))[batch.turn],
                torch.zeros_like(by_value).index_copy(0, higher, by_value[lower])[batch.value],
                torch.zeros_like(by_value).index_copy(0, lower, by_value[higher])[batch.value],
                torch.zeros_like(heard).index_copy(0, later, heard[former]),
                torch.zeros_like(heard).index_copy(0, former, heard[later]),
            )
            heard = heard + block(torch.cat([heard, *related], 1))
        keys = self.key(torch.cat([values, *_pooled(heard, batch.value, len(values))], 1))
        padded = pad_sequence(keys.split(batch.value_counts), batch_first=True)
        specials = self.specials.expand(len(states), -1, -1)
        counts = torch.bincount(batch.state, minlength=len(states)).tolist()
        firsts = torch.tensor([0, *batch.value_counts[:-1]]).cumsum(0)
        at = len(Special) + batch.value - firsts[batch.state]
        return Read(
            self._begin(heard, batch),
            torch.cat([specials, padded], 1),
            pad_sequence(self.place(heard).split(counts), batch_first=True),
            pad_sequence(at.split(counts), batch_first=True, padding_value=len(Special) + padded.shape[1]),
        )

    def _begin(self, heard: Tensor, batch: States) -> Tensor:
        noticed = torch.relu(self.notice(heard))
        turns = self.turn(torch.cat(_pooled(noticed, batch.turn, sum(batch.turn_counts)), 1))
        story = turns.split(batch.turn_counts)
        lengths = torch.tensor(batch.turn_counts)
        output, _ = self.story(pad_sequence(story, batch_first=True))
        last = output[torch.arange(len(story)), lengths - 1]
        everything = _mean(noticed, batch.state, len(story))
        return torch.tanh(
            self.begin(torch.cat([last, torch.stack([each[-1] for each in story]), everything], 1))
        )

    def log_probabilities(
        self, states: Sequence[State], calls: Sequence[Sequence[Slot]], chosen: Sequence[Sequence[int]]
    ) -> tuple[Tensor, Tensor, Choices]:
        """Return log-probabilities of all options, (calls, slots, options), those of the chosen, and the choices."""
        read = self.read(states)
        keys = read.keys
        batch = choices(calls, chosen, keys.shape[1] - len(Special))
        slots = self.names(batch.paths.flatten(0, 1)).unflatten(0, batch.paths.shape[:2])
        picked = keys.gather(1, batch.chosen.unsqueeze(2).expand(-1, -1, self.width))
        before = torch.cat([torch.zeros_like(picked[:, :1]), picked[:, :-1]], 1)
        output, _ = self.decoder(torch.cat([slots, before], 2), read.first.unsqueeze(0))
        scores = self._scores(output, slots, read).masked_fill(~batch.is_option, -torch.inf)
        table = scores.log_softmax(2)
        of_chosen = table.gather(2, batch.chosen.unsqueeze(2)).squeeze(2)
        return table, of_chosen.masked_fill(~batch.is_slot, 0.0), batch

    def _scores(self, output: Tensor, slots: Tensor, read: "Read") -> Tensor:
        """Return the score of each option: its own, and the best of the places where it occurs."""
        query = self.query(torch.cat([output, slots], 2)) / self.width**0.5
        scores = query @ read.keys.transpose(1, 2)
        at_places = query @ read.places.transpose(1, 2)
        best = scores.new_zeros(*scores.shape[:2], scores.shape[2] + 1).scatter_reduce(
            2, read.at.unsqueeze(1).expand_as(at_places), at_places, "amax", include_self=False
        )
        return scores + best[:, :, :-1]

    def begin_choosing(self, states: Sequence[State]) -> "Choosing":
        """Begin to choose the calls of several states, one choice at a time."""
        return Choosing(self, self.read(states))


@dataclass(frozen=True)
class Read:
    """What a policy knows of states.

    Attributes:
        first: The decoder's first state, (states, width).
        keys: Of all options, (states, options, width).
        places: Of all occurrences, (states, occurrences, width).
        at: The option of each occurrence, (states, occurrences); the number of options behind the last.
    """

    first: Tensor
    keys: Tensor
    places: Tensor
    at: Tensor

    def of(self, rows: Tensor) -> "Read":
        """Return what is known of some of the states."""
        return Read(self.first[rows], self.keys[rows], self.places[rows], self.at[rows])


class Choosing:
    """Chooses step by step, for several calls at once."""

    def __init__(self, network: PointerNetwork, read: "Read") -> None:
        self._network = network
        self._read = read
        self._memory = read.first
        self._before = torch.zeros_like(read.first)

    def choose(self, slots: dict[int, Slot], generator: torch.Generator | None) -> dict[int, int]:
        """Choose an option for each call that has a slot: by chance, or the best if there is no generator."""
        rows = torch.tensor(list(slots))
        names = self._network.names(torch.tensor([path_words(slot.path) for slot in slots.values()]))
        step = torch.cat([names, self._before[rows]], 1).unsqueeze(1)
        output, last = self._network.decoder(step, self._memory[rows].unsqueeze(0))
        scores = self._network._scores(output, names.unsqueeze(1), self._read.of(rows)).squeeze(1)
        is_option = torch.zeros_like(scores, dtype=torch.bool)
        for row, slot in enumerate(slots.values()):
            is_option[row, list(slot.options)] = True
        scores = scores.masked_fill(~is_option, -torch.inf)
        picks = (
            scores.argmax(1)
            if generator is None
            else torch.multinomial(scores.softmax(1), 1, generator=generator).squeeze(1)
        )
        self._memory = self._memory.index_copy(0, rows, last.squeeze(0))
        self._before = self._before.index_copy(0, rows, self._read.keys[rows, picks])
        return dict(zip(slots, picks.tolist(), strict=True))


class _Block(nn.Sequential):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(
            nn.LayerNorm(inputs), nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs)
        )


def _mean(rows: Tensor, group: Tensor, groups: int) -> Tensor:
    """Return the mean of the rows of each group, zero where it is empty."""
    counts = torch.zeros(groups).index_add(0, group, torch.ones(len(group))).clamp(min=1)
    return rows.new_zeros(groups, rows.shape[1]).index_add(0, group, rows) / counts.unsqueeze(1)


def _mean_elsewhere(rows: Tensor, group: Tensor, here: Tensor) -> Tensor:
    """Return for each row the mean of the rows of its group that are not here, zero if there are none."""
    ones = torch.ones(len(rows), 1)
    counts = _sums(ones, group) - _sums(ones, here)
    return (_sums(rows, group) - _sums(rows, here)) / counts.clamp(min=1)


def _sums(rows: Tensor, group: Tensor) -> Tensor:
    """Return for each row the sum of the rows of its group."""
    return rows.new_zeros(int(group.max()) + 1, rows.shape[1]).index_add(0, group, rows)[group]


def _pooled(rows: Tensor, group: Tensor, groups: int) -> tuple[Tensor, Tensor]:
    """Return the mean and the maximum of each group."""
    index = group.unsqueeze(1).expand_as(rows)
    highest = rows.new_zeros(groups, rows.shape[1]).scatter_reduce(0, index, rows, "amax", include_self=False)
    return _mean(rows, group, groups), highest
