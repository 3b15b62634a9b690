"""The people directory: people, their absences, and who decides for a role."""

from companyos.chassis import ListPage, UnitOfWork

from .. import domain
from ..domain import Approver, Deputy, Profile
from ..errors import PersonUnknown, RoleVacant
from ..events import PersonAway, PersonBack
from ..models import Person
from ..repository import DataHubRepository


class Directory:
    """The rules of people and their absences, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = DataHubRepository(unit)

    async def page(
        self, *, role: str | None, manager: str | None, q: str | None, cursor: str | None, limit: int
    ) -> ListPage[Person]:
        """Return a page of people."""
        return await self._repository.people(role=role, manager=manager, q=q, cursor=cursor, limit=limit)

    async def profile(self, person_id: str) -> Profile:
        """Return a person, their current and future absences, and their delegate.

        Raises:
            PersonUnknown: No such person in this world.
        """
        person = await self._unit.get(Person, person_id)
        if person is None:
            raise PersonUnknown(person_id)
        absences = await self._repository.absences(person.id)
        until = domain.away_until(absences, self._unit.now)
        return Profile(
            id=person.id,
            name=person.name,
            role=person.role,
            team=person.team,
            email=person.email,
            manager=person.manager,
            reports=[one.id for one in await self._repository.reports(person.id)],
            active=person.active,
            is_away=until is not None,
            away_until=until,
            absences=[absence for absence in absences if absence.ends_at > self._unit.now],
            delegate=person.delegate,
            delegate_types=person.delegate_types,
            delegate_limit=person.delegate_limit,
        )

    async def approver(self, role: str) -> Approver:
        """Return a role's first holder by id, their delegate, and which of them decides now.

        Raises:
            RoleVacant: Nobody holds the role.
        """
        holders = [person for person in await self._repository.holders(role) if person.active]
        if not holders:
            raise RoleVacant(role)
        holder, *others = holders
        until = await self._away_until(holder.id, self._unit.now)
        deputy = await self._deputy(holder)
        return Approver(
            role=role,
            id=holder.id,
            name=holder.name,
            available=until is None,
            away_until=until,
            delegate=deputy,
            on_duty=domain.approver_on_duty(holder.id, holder_is_away=until is not None, deputy=deputy),
            others=[other.id for other in others],
        )

    async def begin_absence(self, person_id: str, *, at: int) -> None:
        """Announce that a person is away, and until when."""
        if (until := await self._away_until(person_id, at)) is not None:
            version = await self._next_version(person_id)
            self._unit.record(PersonAway(person_id=person_id, until=until, version=version))

    async def end_absence(self, person_id: str, *, at: int) -> None:
        """Announce that a person is back, unless another absence continues."""
        if await self._away_until(person_id, at) is None:
            version = await self._next_version(person_id)
            self._unit.record(PersonBack(person_id=person_id, version=version))

    async def _next_version(self, person_id: str) -> int:
        """Return the next number of a person's absence announcements, by which late events are recognized."""
        return await self._unit.next_number(f"presence:{person_id}")

    async def _away_until(self, person_id: str, at: int) -> int | None:
        return domain.away_until(await self._repository.absences(person_id), at)

    async def _deputy(self, holder: Person) -> Deputy | None:
        person = await self._unit.get(Person, holder.delegate) if holder.delegate else None
        if person is None:
            return None
        until = await self._away_until(person.id, self._unit.now)
        return Deputy(
            id=person.id,
            name=person.name,
            role=person.role,
            available=until is None and person.active,
            away_until=until,
            delegate=person.delegate,
            delegate_types=holder.delegate_types,
            delegate_limit=holder.delegate_limit,
        )
