"""Keyed draws: every random decision is a hash of its name and coordinates, so order does not matter.

`K = BLAKE2b(key=salt; coordinates)` identifies one episode, and `u = BLAKE2b(key=K; name, coordinates)` one
decision in it. The same name and coordinates give the same result in every process, on every machine and in
any order.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, TypeVar

T = TypeVar("T")

Coordinate = str | int

_MAX_SALT_BYTES: Final = 64
_TWO_TO_THE_53: Final = 9007199254740992


class Draws:
    """The draws of one set of coordinates, for example (scenario, version, seed, chaos digest).

    Raises:
        ValueError: The salt is longer than 64 bytes.
    """

    def __init__(self, salt: str, *coordinates: Coordinate) -> None:
        key = salt.encode()
        if len(key) > _MAX_SALT_BYTES:
            raise ValueError(f"a salt has at most {_MAX_SALT_BYTES} bytes, this one has {len(key)}")
        self._begin(blake2b(_joined(coordinates), key=key, digest_size=32).digest())

    @classmethod
    def from_key(cls, key: str) -> "Draws":
        """Return the draws with this `key`."""
        made = cls.__new__(cls)
        made._begin(bytes.fromhex(key))
        return made

    @property
    def key(self) -> str:
        """The key as hexadecimal digits. It reproduces the draws without revealing the salt."""
        return self._key.hex()

    def under(self, name: str) -> "Draws":
        """Return draws under a name prefix: `under(a).unit(b)` equals `unit(a, b)` but is faster."""
        made = Draws.__new__(Draws)
        made._key, made._keyed, made._about = self._key, _continued(self._keyed, (name,)), self._about
        return made

    def about(self, *coordinates: Coordinate) -> "Draws":
        """Return draws about one object: `about(a).unit(name, b)` equals `unit(name, a, b)`."""
        made = Draws.__new__(Draws)
        made._key, made._keyed, made._about = self._key, self._keyed, (*self._about, *coordinates)
        return made

    def unit(self, name: str, *coordinates: Coordinate) -> float:
        """Return a number in [0, 1), uniform over names and coordinates."""
        return self._bits(name, coordinates) / _TWO_TO_THE_53

    def integer(self, name: str, low: int, high: int, *coordinates: Coordinate) -> int:
        """Return an integer from `low` to `high`, inclusive."""
        return low + self._bits(name, coordinates) * (high - low + 1) // _TWO_TO_THE_53

    def chance(self, name: str, probability: float, *coordinates: Coordinate) -> bool:
        """Return True with this probability."""
        return self.unit(name, *coordinates) < probability

    def choice(self, name: str, options: Sequence[T], *coordinates: Coordinate) -> T:
        """Return one of the options, all equally likely."""
        return options[self._bits(name, coordinates) * len(options) // _TWO_TO_THE_53]

    def shuffled(self, name: str, options: Sequence[T], *coordinates: Coordinate) -> list[T]:
        """Return all options in a random order (Fisher-Yates)."""
        order = list(options)
        begun = _continued(self._keyed, (name, *self._about, *coordinates))
        for last in range(len(order) - 1, 0, -1):
            other = _bits(begun, (last,)) * (last + 1) // _TWO_TO_THE_53
            order[last], order[other] = order[other], order[last]
        return order

    def sample(self, name: str, options: Sequence[T], count: int, *coordinates: Coordinate) -> list[T]:
        """Return `count` distinct options in a random order, or all of them if there are fewer."""
        return self.shuffled(name, options, *coordinates)[:count]

    def _begin(self, key: bytes) -> None:
        self._key = key
        self._keyed = blake2b(key=key, digest_size=8)
        self._about: tuple[Coordinate, ...] = ()

    def _bits(self, name: str, coordinates: Sequence[Coordinate]) -> int:
        return _bits(self._keyed, (name, *self._about, *coordinates))


def _continued(begun: blake2b, coordinates: Sequence[Coordinate]) -> blake2b:
    """Return a hash of what one has hashed so far and of these coordinates."""
    hashed = begun.copy()
    hashed.update(_joined(coordinates))
    return hashed


def _bits(begun: blake2b, coordinates: Sequence[Coordinate]) -> int:
    # Not by `_continued`: a company takes thousands of draws, and a call costs a tenth of one.
    hashed = begun.copy()
    hashed.update(_joined(coordinates))
    return int.from_bytes(hashed.digest()) >> 11


def _joined(coordinates: Sequence[Coordinate]) -> bytes:
    """Join the fields with length prefixes, so that ("ab", "c") and ("a", "bc") differ."""
    joined = b""
    for coordinate in coordinates:
        field = str(coordinate).encode()
        joined += len(field).to_bytes(4) + field
    return joined
