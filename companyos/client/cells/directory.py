"""Several stacks as one server: which cell a request is for, and in which one an episode begins.

Episodes and snapshots are found by their names. A new episode begins in its company's own cell, where the company is
loaded already if it was prefetched or played before, unless a cell drawn at random has clearly fewer open episodes.
"""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from companyos.cells.names import cell_of, weight

from ..errors import CellGone, InvalidRequest, ServerUnreachable
from ..refusals import body_of, reading
from ..server import DNS
from ..transport import Answer, Lost, Request

DEFAULT_PORT: Final = 8000
#: How long the loads of the cells count as known, and how long one that does not answer is not asked, in seconds.
KNOWN_S, GONE_S = 2.0, 15.0
#: How much fuller than another a company's own cell may be, as a factor and as a number of episodes.
FULLER, SLACK = 1.25, 8
#: The options of a reset that decide its company.
_COMPANY: Final = ("scenario", "seed", "chaos", "size", "split", "index")
_NAMING: Final = ("episode_id", "snapshot", "snapshot_id")


@dataclass
class _Cell:
    name: str
    url: str
    open_episodes: int
    drains: bool
    gone_until: float = 0.0

    @property
    def takes_resets(self) -> bool:
        return not self.drains and self.gone_until <= monotonic()


class Cells:
    """The cells at several addresses, as this process knows them.

    Args:
        addresses: URLs, separated by commas.
    """

    def __init__(self, addresses: str) -> None:
        self._addresses = addresses
        self._cells: dict[str, _Cell] = {}
        self._urls: list[str] = []
        self._asked_at = 0.0
        self._asked_again_at: dict[str, float] = {}

    def survey(self) -> Generator[Request, Any, None]:
        """Ask the cells for their names and loads, unless that was done just now.

        Raises:
            InvalidRequest: Two have the same name, or none.
            Refused: One refuses the token.
            ServerUnreachable: None answers.
        """
        if self._cells and monotonic() < self._asked_at + KNOWN_S:
            return
        self._asked_at = monotonic()
        self._urls = list(_urls(self._addresses))
        for url in self._urls:
            if self._asked_again_at.get(url, 0.0) <= monotonic():
                self._note(url, (yield Request("GET", "/cell", at=url)))
        if not self._cells:
            raise ServerUnreachable(f"None of {self._addresses} answers. Are stacks running there?")

    def with_address(self, request: Request, current: str | None) -> Request:
        """Return a request with the address of the cell it is for; what names none is for that of `current`, or any."""
        if request.at is not None:
            return request
        name = name_in(request) or current
        cell = self._any() if name is None else self._cells[self.holding(name)]
        return Request(request.method, request.path, request.body, request.query, request.file, cell.url)

    def choose(self, options: Mapping[str, Any]) -> str:
        """Return the name of the cell in which an episode with these options begins, and count it there.

        Raises:
            ServerUnreachable: No cell takes resets.
        """
        own, other = self._cells[self.own_cell(options)], secrets.choice(self._taking_resets())
        chosen = other if own.open_episodes > FULLER * other.open_episodes + SLACK else own
        chosen.open_episodes += 1
        return chosen.name

    def holding(self, name: str) -> str:
        """Return the name of the cell that holds an episode or a snapshot."""
        return cell_of(name, self._cells)

    def own_cell(self, options: Mapping[str, Any]) -> str:
        """Return the name of a company's own cell; raises as `choose` does."""
        company = json.dumps([options.get(name) for name in _COMPANY], default=str, sort_keys=True)
        return max(self._taking_resets(), key=lambda cell: weight(cell.name, company)).name

    def prefetches(self, wanted: Mapping[str, Any]) -> Generator[Request, Any, list[Request]]:
        """Return a prefetch as one for each cell, of the seeds whose companies' own it is; raises as `choose` does."""
        yield from self.survey()
        seeds: dict[str, list[int]] = {}
        for seed in wanted["seeds"]:
            cell = self._cells[self.own_cell({**wanted, "seed": seed})]
            seeds.setdefault(cell.url, []).append(seed)
        return [
            Request("POST", "/prefetch", {**wanted, "seeds": some}, at=url) for url, some in seeds.items()
        ]

    def after_survey(self, request: Request, current: str | None) -> Generator[Request, Any, Request]:
        """Return a request as `with_address` does, after a survey.

        Raises:
            CellGone: Its cell did not answer a moment ago.
        """
        yield from self.survey()
        addressed = self.with_address(request, current)
        cell = self._at(addressed)
        if cell is not None and cell.gone_until > monotonic():
            raise _gone(cell, "it did not answer a moment ago")
        return addressed

    def lost(self, request: Request, answer: Lost) -> CellGone:
        """Note that the cell of a request does not answer, and return the error that says so."""
        cell = self._at(request)
        assert cell is not None
        self._lose(cell)
        return _gone(cell, answer.why)

    def note_draining(self, name: str) -> None:
        """Note that the cell of an episode's name takes no resets."""
        self._cells[self.holding(name)].drains = True

    def _note(self, url: str, answer: Answer | Lost) -> None:
        known = next((cell for cell in self._cells.values() if cell.url == url), None)
        if isinstance(answer, Lost) or answer.status in (502, 503, 504):
            self._asked_again_at[url] = monotonic() + GONE_S
            if known is not None:
                self._lose(known)
            return
        found = body_of(answer, dict, url)
        name = found.get("name")
        other = self._cells.get(name or "")
        if not name or (other is not None and other.url != url and other.url in self._urls):
            detail = (
                f"{url} has no name of its own among {self._addresses}. Give each another COMPANYOS_CELL."
            )
            raise InvalidRequest(422, "cell_unnamed", detail)
        with reading(found, url):
            self._cells[name] = _Cell(name, url, int(found["open_episodes"]), drains=found["drains_s"] > 0)

    def _lose(self, cell: _Cell) -> None:
        cell.gone_until = self._asked_again_at[cell.url] = monotonic() + GONE_S

    def _at(self, request: Request) -> _Cell | None:
        return next((cell for cell in self._cells.values() if cell.url == request.at), None)

    def _any(self) -> _Cell:
        return next((cell for cell in self._cells.values() if cell.gone_until <= monotonic()), self._first())

    def _first(self) -> _Cell:
        return next(iter(self._cells.values()))

    def _taking_resets(self) -> list[_Cell]:
        found = [cell for cell in self._cells.values() if cell.takes_resets]
        if not found:
            raise ServerUnreachable(
                f"None of {self._addresses} takes resets: each drains, or does not answer."
            )
        return found


def cells_at(base_url: str) -> Cells | None:
    """Return the cells at an address, shared by the clients of this process; None for a stack alone."""
    return _shared(base_url) if "," in base_url or base_url.startswith(f"{DNS}://") else None


@lru_cache(maxsize=16)
def _shared(base_url: str) -> Cells:
    return Cells(base_url)


def name_in(request: Request) -> str | None:
    """Return the episode or snapshot that a request names, as routers read it."""
    body = request.body if isinstance(request.body, Mapping) else {}
    for part in (body, request.query):
        if named := next((part[key] for key in _NAMING if part.get(key)), None):
            return str(named)
    first, _, rest = request.path.removeprefix("/").partition("/")
    name = unquote(rest.partition("/")[0])
    return name if first in ("episodes", "snapshots") and name not in ("", "import") else None


def _urls(addresses: str) -> Iterator[str]:
    for address in addresses.split(","):
        parts = urlsplit(address.strip())
        if parts.scheme != DNS:
            yield address.strip().rstrip("/")
            continue
        port = parts.port or DEFAULT_PORT
        try:
            found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise ServerUnreachable(f"{parts.hostname} cannot be resolved: {error}.") from None
        hosts = sorted({str(place[4][0]) for place in found})
        yield from (f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}" for host in hosts)


def _gone(cell: _Cell, why: str) -> CellGone:
    return CellGone(
        f"The cell {cell.name} at {cell.url} does not answer: {why}. Its open episodes are lost, unless it comes back; "
        "the next reset begins in another cell."
    )
