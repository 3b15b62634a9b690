"""The content of one scenario's company: its packs, combined and checked."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, TypeVar

from .pack import (
    ApprovalType,
    Chapter,
    Groundwork,
    Ledger,
    Office,
    Pack,
    SideRequest,
    Story,
    TicketKind,
    Workplace,
)

T = TypeVar("T")

#: The kind of the records that hold rules of precedence, in every company with a ledger.
RULE: Final = "rule"


class PacksDoNotFit(ValueError):
    """The packs of a scenario do not form a company; the message names what is missing or duplicated."""


class Content:
    """The combined content of a scenario's packs, in the order in which it names them.

    Raises:
        PacksDoNotFit: Something is duplicated, or a pack refers to something missing.
    """

    def __init__(self, packs: Sequence[Pack]) -> None:
        self.packs = tuple(packs)
        _once("pack", (pack.name for pack in packs))
        self.ticket_kinds: dict[str, TicketKind] = self._by_id("ticket kind", lambda pack: pack.ticket_kinds)
        self.approval_types: dict[str, ApprovalType] = self._by_id(
            "approval type", lambda pack: pack.approval_types
        )
        self.offices: dict[str, Office] = {
            one.role: one
            for one in _once_each("role", self._all(lambda pack: pack.offices), lambda one: one.role)
        }
        self.record_kinds = tuple(
            _once_each("record kind", self._all(lambda pack: pack.record_kinds), lambda kind: kind)
        )
        self.teams = self._all(lambda pack: pack.teams)
        self.namesakes = {role: other for pack in packs for role, other in pack.namesakes.items()}
        self.stories: tuple[Story, ...] = self._all(lambda pack: pack.stories)
        self.documents = self._all(lambda pack: pack.documents)
        self.common_sections = self._all(lambda pack: pack.common_sections)
        self.mails = self._all(lambda pack: pack.mails)
        self.automations: tuple[Story, ...] = self._all(lambda pack: pack.automations)
        self.side_requests: tuple[SideRequest, ...] = self._all(lambda pack: pack.side_requests)
        self.chapters: tuple[Chapter, ...] = self._all(lambda pack: pack.chapters)
        self.side_metrics = self._all(lambda pack: pack.side_metrics)
        self.workplace: Workplace = self._one("workplace", lambda pack: pack.workplace)
        self.groundwork: Groundwork | None = self._at_most_one("groundwork", lambda pack: pack.groundwork)
        self.ledger: Ledger | None = self._at_most_one("ledger", lambda pack: pack.ledger)
        self._check_roles()
        self._check_kinds()

    def check_record_kind(self, kind: str) -> None:
        """Check that a pack has this kind of record, or a ledger needs it.

        Raises:
            PacksDoNotFit: No pack has it; the message lists the kinds that the packs have.
        """
        plain = self._all(lambda pack: pack.plain_record_kinds)
        of_ledger = () if self.ledger is None else (self.ledger.kind, RULE)
        if kind not in (known := (*self.record_kinds, *plain, *of_ledger)):
            raise PacksDoNotFit(f"No pack has the record kind {kind}; its packs have: {_listed(known)}.")

    def deciding(self, role: str) -> tuple[str, ...]:
        """Return the approval types that a role decides, which its full delegation covers."""
        return tuple(one.id for one in self.approval_types.values() if role in one.roles)

    def deputy(self, role: str) -> str:
        """Return the role that deputizes for a role."""
        office = self.offices.get(role)
        return (office and office.deputy) or self.workplace.deputy

    def _all(self, of: Callable[[Pack], Iterable[T]]) -> tuple[T, ...]:
        return tuple(chain.from_iterable(of(pack) for pack in self.packs))

    def _by_id(self, part_name: str, of: Callable[[Pack], Iterable[T]]) -> dict[str, T]:
        return {one.id: one for one in _once_each(part_name, self._all(of), lambda one: one.id)}  # type: ignore[attr-defined]

    def _at_most_one(self, part_name: str, of: Callable[[Pack], T | None]) -> T | None:
        having = [pack for pack in self.packs if of(pack) is not None]
        if len(having) > 1:
            raise PacksDoNotFit(
                f"More than one pack has a {part_name}: {_listed(pack.name for pack in having)}."
            )
        return of(having[0]) if having else None

    def _one(self, part_name: str, of: Callable[[Pack], T | None]) -> T:
        found = self._at_most_one(part_name, of)
        if found is None:
            named = _listed(pack.name for pack in self.packs) or "none"
            raise PacksDoNotFit(f"No pack has a {part_name}; the scenario names: {named}.")
        return found

    def _check_roles(self) -> None:
        known = {*self.offices}
        workplace = self.workplace
        wanted = {
            "the workplace": {workplace.deputy, workplace.worker, workplace.checker, workplace.author},
            **{f"role {one.role}": {one.deputy or workplace.deputy} for one in self.offices.values()},
            **{f"approval type {one.id}": _roles_of(one) for one in self.approval_types.values()},
        }
        for source, roles in wanted.items():
            if missing := sorted(roles - known):
                raise PacksDoNotFit(f"No pack has an office for {_listed(missing)}, named by {source}.")
        for role in set(chain.from_iterable(_roles_of(one) for one in self.approval_types.values())):
            if self.deputy(role) == role:
                raise PacksDoNotFit(
                    f"The role {role} decides about approvals, and needs a deputy of another role."
                )

    def _check_kinds(self) -> None:
        wanted = {f"approval type {one.id}": one.ticket_kind for one in self.approval_types.values()}
        wanted |= {f"side request {one.type.id}": one.ticket_kind for one in self.side_requests}
        if self.groundwork is not None:
            wanted["the groundwork"] = self.groundwork.kind
        for source, kind in wanted.items():
            if kind is not None and kind not in self.ticket_kinds:
                raise PacksDoNotFit(f"No pack has a ticket kind {kind}, named by {source}.")


def _roles_of(type_: ApprovalType) -> set[str]:
    later = (band.role for succession in type_.successions for band in succession.routes)
    return {*type_.roles, *later}


def _once(part_name: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise PacksDoNotFit(f"There are two of {part_name} {name}.")
        seen.add(name)


def _once_each(part_name: str, items: Sequence[T], name: Callable[[T], str]) -> Sequence[T]:
    _once(part_name, (name(item) for item in items))
    return items


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
