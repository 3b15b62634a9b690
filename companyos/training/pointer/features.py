"""Turns what an agent has seen into tensors: words as hashes, numbers and times as numbers, relations as indices."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import copysign, log1p
from typing import Any, Final
from zlib import crc32

import torch
from torch import Tensor

from .calls import Path, Slot, Special
from .occurrences import History, Scalar

#: Words are known by their hash, so any company, tool and scenario has words; 0 is no word.
HASHES: Final = 4096
#: The most words read of a value, and of a path.
VALUE_WORDS: Final = 24
PATH_WORDS: Final = 3
#: Numbers that describe a value: see `_numbers`.
NUMBERS: Final = 4
_WORD: Final = re.compile(r"[A-Za-z]+|\d+")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d(T[\d:]+Z)?")
#: Truth values and nothing are no link between the places where they occur.
_UNRELATED: Final = (True, False, None)


@dataclass(frozen=True)
class State:
    """What an agent knows before a call, n occurrences of m values.

    Attributes:
        words: Hashed words of the values, (m, VALUE_WORDS).
        numbers: Numbers of the values, (m, NUMBERS).
        due: Hours from now until the value if it is a time, else NaN, (m,).
        paths: Hashed words of the occurrences' paths, (n, PATH_WORDS).
        places: Value, owner and turn of each occurrence, (n, 3).
        is_link: Whether equality of the value relates occurrences, (m,).
        turns: Calls made.
    """

    words: Tensor
    numbers: Tensor
    due: Tensor
    paths: Tensor
    places: Tensor
    is_link: Tensor
    turns: int


class Featurizer:
    """Follows a history and returns its states."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._words = torch.zeros((0, VALUE_WORDS), dtype=torch.int32)
        self._numbers = torch.zeros((0, NUMBERS))
        self._hours = torch.zeros(0, dtype=torch.float64)
        self._is_link = torch.zeros(0, dtype=torch.bool)
        self._paths = torch.zeros((0, PATH_WORDS), dtype=torch.int32)
        self._places = torch.zeros((0, 3), dtype=torch.int32)

    def state(self) -> State:
        """Return the state after everything in the history."""
        self._read_new()
        due = (self._hours - _hours(self.history.now)).float()
        return State(
            self._words, self._numbers, due, self._paths, self._places, self._is_link, self.history.turns
        )

    def _read_new(self) -> None:
        values = self.history.values[len(self._words) :]
        places = self.history.occurrences[len(self._paths) :]
        if values:
            words = [self._words_of(value) for value in values]
            self._words = torch.cat([self._words, torch.tensor(words, dtype=torch.int32)])
            self._numbers = torch.cat([self._numbers, torch.tensor([_numbers(each) for each in values])])
            hours = torch.tensor([_hours(value) for value in values], dtype=torch.float64)
            self._hours = torch.cat([self._hours, hours])
            links = torch.tensor([not any(value is each for each in _UNRELATED) for value in values])
            self._is_link = torch.cat([self._is_link, links])
        if places:
            paths = [path_words(place.path) for place in places]
            self._paths = torch.cat([self._paths, torch.tensor(paths, dtype=torch.int32)])
            spots = [(place.value, place.owner, place.turn) for place in places]
            self._places = torch.cat([self._places, torch.tensor(spots, dtype=torch.int32)])

    def _words_of(self, value: Scalar) -> tuple[int, ...]:
        """Return the words of a value; a tool is known by its name and its description."""
        tool = self.history.tools.get(value) if isinstance(value, str) else None
        return _value_words(value) if tool is None else _tool_words(str(value), tool["description"])


@dataclass(frozen=True)
class States:
    """States side by side; indices of values, owners and turns count through all of them.

    Attributes:
        below: Pairs of values of one state that are neighbors in order of size or of time, the smaller first, (2, k).
        beside: Pairs of occurrences that follow each other at one path of one turn, (2, l).
        state: Number of the state of each occurrence, (n,).
        value: Value of each occurrence, (n,).
        owner: Owner of each occurrence, (n,).
        turn: RolloutTurn of each occurrence, (n,).
        age: How many turns ago each occurrence was seen, (n,).
        value_counts: Values of each state.
        turn_counts: Turns of each state, the brief included.
    """

    words: Tensor
    numbers: Tensor
    paths: Tensor
    is_link: Tensor
    below: Tensor
    beside: Tensor
    state: Tensor
    value: Tensor
    owner: Tensor
    turn: Tensor
    age: Tensor
    owners: int
    value_counts: list[int]
    turn_counts: list[int]


def side_by_side(states: Sequence[State]) -> States:
    """Return states as one batch."""
    columns = [each.places.long() for each in states]
    values, turns = [len(each.words) for each in states], [each.turns + 1 for each in states]
    owners = [int(each[:, 1].max()) + 1 for each in columns]
    sizes = torch.tensor([len(each) for each in columns])

    def shifted(column: int, counts: list[int]) -> Tensor:
        offsets = torch.tensor([0, *counts[:-1]]).cumsum(0)
        return torch.cat([each[:, column] for each in columns]) + offsets.repeat_interleave(sizes)

    ages = [each.turns - column[:, 2] for each, column in zip(states, columns, strict=True)]
    paths, turn = torch.cat([each.paths for each in states]).long(), shifted(2, turns)
    return States(
        words=torch.cat([each.words for each in states]).long(),
        numbers=torch.cat([torch.cat([each.numbers, _times(each.due)], 1) for each in states]),
        paths=paths,
        is_link=torch.cat([each.is_link for each in states]),
        below=_below(states, values),
        beside=_beside(turn * HASHES + paths[:, 0]),
        state=torch.arange(len(states)).repeat_interleave(sizes),
        value=shifted(0, values),
        owner=shifted(1, owners),
        turn=turn,
        age=torch.cat(ages),
        owners=sum(owners),
        value_counts=values,
        turn_counts=turns,
    )


def _below(states: Sequence[State], counts: Sequence[int]) -> Tensor:
    """Return the pairs of numbers, and those of times, between which no other lies."""
    pairs, offset = [], 0
    for state, count in zip(states, counts, strict=True):
        for rows, size in (
            (state.numbers[:, 0].nonzero().squeeze(1), state.numbers[:, 1]),
            ((~state.due.isnan()).nonzero().squeeze(1), state.due),
        ):
            ordered = offset + rows[size[rows].argsort(stable=True)]
            pairs.append(torch.stack([ordered[:-1], ordered[1:]]))
        offset += count
    return torch.cat(pairs, 1)


def _beside(groups: Tensor) -> Tensor:
    """Return the pairs of occurrences that follow each other in their group."""
    ordered = groups.argsort(stable=True)
    pairs = torch.stack([ordered[:-1], ordered[1:]])
    return pairs[:, groups[pairs[0]] == groups[pairs[1]]]


@dataclass(frozen=True)
class Choices:
    """The choices of several calls, padded to equal numbers.

    Attributes:
        paths: Hashed words of the slots' paths, (calls, slots, PATH_WORDS).
        is_option: Whether each special or value can be chosen, (calls, slots, options).
        chosen: The chosen option, (calls, slots); 0 behind the last slot.
        is_slot: False behind the last slot, (calls, slots).
    """

    paths: Tensor
    is_option: Tensor
    chosen: Tensor
    is_slot: Tensor


def choices(calls: Sequence[Sequence[Slot]], chosen: Sequence[Sequence[int]], values: int) -> Choices:
    """Return calls as one batch; `values` is the largest number of values of their states."""
    shape = (len(calls), max(map(len, calls)))
    paths = torch.zeros((*shape, PATH_WORDS), dtype=torch.long)
    is_option = torch.zeros((*shape, len(Special) + values), dtype=torch.bool)
    options = torch.zeros(shape, dtype=torch.long)
    is_slot = torch.zeros(shape, dtype=torch.bool)
    is_option[:, :, 0] = True
    for row, (slots, picks) in enumerate(zip(calls, chosen, strict=True)):
        for column, (slot, option) in enumerate(zip(slots, picks, strict=True)):
            paths[row, column] = torch.tensor(path_words(slot.path))
            is_option[row, column, 0] = False
            is_option[row, column, list(slot.options)] = True
            options[row, column] = option
            is_slot[row, column] = True
    return Choices(paths, is_option, options, is_slot)


@lru_cache(maxsize=100_000)
def path_words(path: Path) -> tuple[int, int, int]:
    """Return the hashes of a path, of its tool and of its last name."""
    return _hash(f"path {path}"), _hash(f"tool {path[:1]}"), _hash(f"name {path[-1:]}")


@lru_cache(maxsize=100_000)
def _value_words(value: Scalar) -> tuple[int, ...]:
    """Return the hashed words of a value; digits of an id and of a time say nothing, so only their shape is kept."""
    if isinstance(value, str):
        shape = _TIME.sub("time", value)
        words = [word if word.isalpha() else "digits" for word in _WORD.findall(shape.lower())]
    else:
        words = [str(value)] if value is None or abs(value) < HASHES else ["large"]
    kind = type(value).__name__
    return _padded([f"is {kind}", f"all {value}" if len(words) < 4 else kind, *words])


@lru_cache(maxsize=1_000)
def _tool_words(name: str, description: str) -> tuple[int, ...]:
    return _padded([f"tool {name}", *name.split("_"), *_WORD.findall(description.lower())])


def _padded(words: Sequence[str]) -> tuple[int, ...]:
    hashes = [_hash(word) for word in words[:VALUE_WORDS]]
    return (*hashes, *[0] * (VALUE_WORDS - len(hashes)))


def _hash(word: str) -> int:
    return 1 + crc32(word.encode()) % (HASHES - 1)


def _numbers(value: Scalar) -> tuple[float, ...]:
    """Return whether a value is a number, how large it is in two scales, and whether it is negative."""
    if value is None or isinstance(value, str | bool):
        return (0.0,) * NUMBERS
    return 1.0, copysign(log1p(abs(value)), value) / 10, max(-2.0, min(2.0, value / 100)), float(value < 0)


def _hours(value: Any) -> float:
    """Return a time in hours since 1970; NaN if the value is no time."""
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        return float("nan")
    try:
        return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp() / 3600
    except ValueError:
        return float("nan")


def _times(due: Tensor) -> Tensor:
    """Return whether values are times, whether they are past, and how far away they are, (m, 3)."""
    is_time = ~due.isnan()
    hours = due.nan_to_num(0.0)
    return torch.stack([is_time.float(), ((hours <= 0) & is_time).float(), hours.abs().log1p() / 10], 1)
