"""The signers of purchases: who is asked for a role, who cannot be asked, and who may sign when the time comes."""

from collections.abc import Sequence

from companyos.chassis import UnitOfWork

from ..chains import may_decide
from ..errors import ApproverAway, ApproverUnknown
from ..models import Person
from . import errors
from .domain import TYPE, Signers, may_sign, repeated, total
from .models import KnownBudget, Purchase, PurchaseStage, SignOff
from .repository import PurchaseRepository

_NOT_MINE = "I do not own this budget, and no delegation of its owner covers the share now."
_NOT_MY_ROLE = "I do not hold the role that signs here, and no delegation of its holder covers purchases now."


def departure_reason(person_id: str) -> str:
    """Say that a person has left, or has lost access to approvals."""
    return f"{person_id} can no longer sign."


class SignerRules:
    """Who signs purchases, in one unit of work; the rules are those of requests."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = PurchaseRepository(unit)

    async def holder(self, role: str) -> str:
        """Return who is asked to sign for a role.

        Raises:
            StageVacant: Nobody can sign for it now.
        """
        able = await self._able(role, requester=self._unit.actor)
        if not able:
            raise errors.StageVacant(role)
        return able[0]

    async def refuse(self, signers: Sequence[str], *, chosen: int) -> None:
        """Refuse signers who cannot sign, and repetitions among the first `chosen`, whom the caller named.

        Raises:
            ApproverUnknown, ApproverAway, OwnSignature, SignerTwice: Somebody cannot be asked.
        """
        for signer in signers:
            person = await self._unit.get(Person, signer)
            if person is None:
                raise ApproverUnknown(signer, field="shares")
            if signer == self._unit.actor:
                raise errors.OwnSignature
            if person.colleague.is_away(self._unit.now):
                raise ApproverAway(signer, person.away_until, field="shares")
        if (twice := repeated(signers[:chosen])) is not None:
            raise errors.SignerTwice(twice)

    async def objection(
        self, purchase: Purchase, sign_off: SignOff, stages: Sequence[PurchaseStage]
    ) -> str | None:
        """Return why the person who was asked may not sign now, or None if they may."""
        person = await self._unit.get(Person, sign_off.approver)
        if sign_off.budget_id is not None:
            entitled = await self._for_budget(purchase, sign_off.budget_id)
            return None if entitled == sign_off.approver else _NOT_MINE
        if person is not None and not person.active:
            return departure_reason(sign_off.approver)
        here = [stage for stage in stages if stage.number == sign_off.stage]
        if any(stage.signers == Signers.NAMED for stage in here):
            return None
        roles = [stage.role or "" for stage in here if stage.signers == Signers.ROLE]
        able = [one for role in roles for one in await self._able(role, requester=purchase.requester)]
        return None if sign_off.approver in able else _NOT_MY_ROLE

    async def _able(self, role: str, *, requester: str) -> list[str]:
        people = await self._repository.route(role)
        return may_decide(
            people, role=role, type_id=TYPE, amount=None, now=self._unit.now, barred=[requester]
        )

    async def _for_budget(self, purchase: Purchase, budget_id: str) -> str | None:
        budget = await self._unit.get(KnownBudget, budget_id)
        if budget is None:
            return None
        shares = await self._repository.shares([purchase.id])
        amount = total(share.amount for share in shares if share.budget_id == budget_id)
        people = await self._repository.behind(budget.owner)
        return may_sign(budget.owner, people, amount=amount, now=self._unit.now, barred=[purchase.requester])
