"""Gymnasium: a space of any text, for vectors of environments in one process or in several with shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import (
    concatenate,
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)

#: The longest text that an environment in another process can hand over, in bytes of UTF-8.
MAX_SHARED_BYTES: Final = 256 * 1024
_LENGTH_BYTES: Final = 4
_SLOT_BYTES: Final = _LENGTH_BYTES + MAX_SHARED_BYTES


class TextSpace(gym.Space[str]):
    """A space of any text. Gymnasium's own `Text` needs a list of all characters and checks each one."""

    def __init__(self, samples: Sequence[str] = ("",), seed: int | None = None) -> None:
        """Set the texts from which `sample` draws."""
        self._samples = tuple(samples)
        super().__init__(shape=(), dtype=None, seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return one of the samples."""
        return self._samples[int(self.np_random.integers(len(self._samples)))]

    def contains(self, x: Any) -> bool:
        """Return whether `x` is text."""
        return isinstance(x, str)

    @property
    def is_np_flattenable(self) -> bool:
        """Return False, because texts do not flatten to arrays of one length."""
        return False

    def __eq__(self, other: object) -> bool:
        """Return whether the other space has the same samples."""
        return isinstance(other, TextSpace) and self._samples == other._samples

    def __hash__(self) -> int:
        """Return the hash of the samples."""
        return hash(self._samples)


@concatenate.register(TextSpace)
def array_of(space: TextSpace, items: Iterable[str], out: None = None) -> Any:
    """Return the texts of a vector of environments as an array.

    Gymnasium makes tuples of what is in spaces it does not know. Frameworks that take observations apart by their first
    index, as RLlib does, would cut the first text of a tuple into its characters.
    """
    return np.array(tuple(items), dtype=object)


class SharedTexts(Sequence[Any]):
    """The texts in the memory that environments in other processes write; a copy of it is an array."""

    def __init__(self, memory: Any, count: int) -> None:
        """Look at the memory of `count` environments."""
        self._slots = _slots(memory)
        self._count = count

    def __len__(self) -> int:
        """Return the number of environments."""
        return self._count

    def __getitem__(self, index: Any) -> Any:
        """Return the text of an environment, or an array of several."""
        if not isinstance(index, int):
            return np.asarray(self)[index]
        slot = self._slots[range(self._count)[index]]
        length = int.from_bytes(slot[:_LENGTH_BYTES].tobytes(), "little")
        return slot[_LENGTH_BYTES : _LENGTH_BYTES + length].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        """Return the texts, in the order of the environments."""
        return (self[index] for index in range(self._count))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return the texts as an array of objects."""
        return np.array(tuple(self), dtype=object)

    def __deepcopy__(self, memo: Any) -> Any:
        """Return an array, which later steps do not change."""
        return np.asarray(self)


@create_shared_memory.register(TextSpace)
def create_shared_texts(space: TextSpace, n: int = 1, ctx: Any = None) -> Any:
    """Return memory for the text of each of `n` environments."""
    return ctx.Array("c", n * _SLOT_BYTES)


@read_from_shared_memory.register(TextSpace)
def read_shared_texts(space: TextSpace, shared_memory: Any, n: int = 1) -> SharedTexts:
    """Return the texts, which change with the memory."""
    return SharedTexts(shared_memory, n)


@write_to_shared_memory.register(TextSpace)
def write_shared_text(space: TextSpace, index: int, value: str, shared_memory: Any) -> None:
    """Write the text of one environment.

    Raises:
        ValueError: It is too long; make the vector environment with `shared_memory=False`.
    """
    raw = value.encode(errors="replace")
    if len(raw) > MAX_SHARED_BYTES:
        raise ValueError(
            f"A text of {len(raw)} bytes exceeds the {MAX_SHARED_BYTES} of shared memory; use shared_memory=False."
        )
    slot = _slots(shared_memory)[index]
    slot[_LENGTH_BYTES : _LENGTH_BYTES + len(raw)] = np.frombuffer(raw, np.uint8)
    slot[:_LENGTH_BYTES] = np.frombuffer(len(raw).to_bytes(_LENGTH_BYTES, "little"), np.uint8)


def _slots(memory: Any) -> Any:
    return np.frombuffer(memory.get_obj(), dtype=np.uint8).reshape(-1, _SLOT_BYTES)
