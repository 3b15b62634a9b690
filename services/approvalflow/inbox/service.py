"""The acts of people who decide in person: one public method per tool."""

from dataclasses import dataclass

from companyos.chassis import ListPage, UnitOfWork
from companyos.sdk.simtime import HOUR, to_iso

from ..decisions import Verdict
from ..domain import AT_APPROVER, OPEN, Action, EvidenceKind, FieldValue, Status
from ..errors import ApproverAway, ApproverUnknown, RequestNotOpen
from ..models import Person, Request
from ..service import Lifecycle, Requests
from ..service.audit import Audit
from . import errors
from .domain import MEANINGS, OUTCOMES, Choice, ReasonCode, Topic, principals
from .events import AnswerQuestion
from .models import Answer, LineItem, Question
from .repository import InboxRepository

#: The answer of a requester who knows nothing about the topic.
NOTHING_TO_ADD = Answer(id="", text="I have nothing to add to what the request says.", delay_s=2 * HOUR)


@dataclass(frozen=True)
class Dossier:
    """A request with everything that was submitted about it."""

    id: str
    type: str
    policy_version: int
    status: Status
    requester: str
    approver: str
    submitted_at: int
    fields: dict[str, FieldValue]
    line_items: list[LineItem]
    attachments: list[dict[str, object]]
    questions: list[Question]
    version: int


class Inbox:
    """The inbox of the caller, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = InboxRepository(unit)
        self._requests = Requests(unit)
        self._lifecycle = Lifecycle(unit)
        self._audit = Audit(unit)

    async def page(self, *, after: str | None, limit: int) -> ListPage[Request]:
        """Return a page of the requests that wait for the caller, or for people they stand in for."""
        return await self._repository.waiting_for(await self._principals(), after=after, limit=limit)

    async def dossier(self, request_id: str) -> Dossier:
        """Return a request with its line items, attachments, questions and answers.

        Raises:
            RequestUnknown: No such request in this world.
        """
        request = await self._requests.get(request_id)
        return Dossier(
            id=request.id,
            type=request.type,
            policy_version=request.policy_version,
            status=request.status,
            requester=request.requester,
            approver=request.approver,
            submitted_at=request.submitted_at,
            fields=request.fields,
            line_items=await self._repository.line_items(request.id),
            attachments=request.evidence.get("attachments", []),
            questions=await self._repository.questions(request.id),
            version=request.version,
        )

    async def decide(
        self,
        request_id: str,
        *,
        decision: Choice,
        reason_code: ReasonCode | None,
        comment: str | None,
        version: int | None,
    ) -> Request:
        """Approve or reject a request in the inbox.

        Raises:
            RequestUnknown, VersionConflict, RequestNotOpen, NotInInbox: It does not wait for the caller.
            ReasonCodeRequired, ReasonCodeNotAllowed: A rejection lacks a reason code, or an approval has one.
            OwnDecision: The caller made it or worked on its ticket.
            DelegationExceeded: The caller may not decide this type and amount.
        """
        request = await self._waiting(request_id, version)
        _refuse_reason(decision, reason_code)
        if self._unit.actor in await self._lifecycle.barred_people(request):
            raise errors.OwnDecision(request.id)
        if self._unit.actor not in await self._lifecycle.deciders(request):
            raise errors.DelegationExceeded(request.id, request.approver)

        meaning = [MEANINGS[reason_code]] if reason_code else []
        words = " ".join([*meaning, *([comment] if comment else [])])
        verdict = Verdict(OUTCOMES[decision], reason_code, words or None)
        await self._lifecycle.conclude(request, verdict, by=self._unit.actor)
        return request

    async def ask(self, request_id: str, *, question: str, about: Topic, version: int | None) -> Question:
        """Ask the requester, who answers after a while.

        Raises:
            RequestUnknown, VersionConflict, RequestNotOpen, NotInInbox: It does not wait for the caller.
            QuestionOpen: An earlier question on this topic is not answered yet.
        """
        request = await self._waiting(request_id, version)
        for earlier in await self._repository.questions(request.id):
            if earlier.about == about and earlier.answered_at is None:
                raise errors.QuestionOpen(earlier.id, to_iso(earlier.due_at))

        known = await self._answer(request.id, about)
        asked = Question(
            id=await self._unit.next_id(Question, f"{request.id}-Q"),
            request_id=request.id,
            about=about,
            text=question,
            asked_by=self._unit.actor,
            asked_at=self._unit.now,
            due_at=self._unit.now + known.delay_s,
        )
        self._unit.add(asked)
        request.version += 1
        self._unit.schedule(AnswerQuestion(question_id=asked.id), at=asked.due_at, id=f"answer:{asked.id}")
        await self._audit.note(request, Action.QUESTIONED, f"{about}: {question}", by=self._unit.actor)
        return asked

    async def answer(self, question_id: str) -> None:
        """Record the requester's answer to a question; attachments count only while the request is open."""
        question = await self._unit.get(Question, question_id)
        request = await self._unit.get(Request, question.request_id) if question else None
        if question is None or request is None or question.answered_at is not None:
            return
        known = await self._answer(request.id, Topic(question.about))
        question.answered_at, question.answer = self._unit.now, known.text
        request.version += 1
        if known.attaches and request.status in OPEN:
            self._attach(request, known.attaches)
        await self._audit.note(request, Action.ANSWERED, known.text, by=request.requester)

    async def pass_on(self, request_id: str, *, to: str, reason: str, version: int | None) -> Request:
        """Pass a request in the inbox on to another person, who decides it after a while.

        Raises:
            RequestUnknown, VersionConflict, RequestNotOpen, NotInInbox: It does not wait for the caller.
            ApproverUnknown, ApproverAway, PassedToSelf, RecipientInvolved: That person cannot decide it.
        """
        request = await self._waiting(request_id, version)
        await self._refuse_recipient(request, to)

        handed_on = f"From {request.approver} to {to}: {reason}"
        request.approver, request.status = to, Status.ESCALATED
        request.version += 1
        decision_s = (await self._lifecycle.facts(request)).type_.decision_s
        self._lifecycle.ask(request, at=self._unit.now + decision_s)
        await self._audit.note(request, Action.PASSED_ON, handed_on, by=self._unit.actor)
        return request

    async def _principals(self) -> list[str]:
        return principals(self._unit.actor, await self._repository.delegating(), self._unit.now)

    async def _waiting(self, request_id: str, version: int | None) -> Request:
        request = await self._requests.get(request_id, version)
        if request.status not in AT_APPROVER:
            raise RequestNotOpen(request.id, request.status)
        if request.approver not in await self._principals():
            raise errors.NotInInbox(request.id, request.approver)
        return request

    async def _refuse_recipient(self, request: Request, to: str) -> None:
        person = await self._unit.get(Person, to)
        if person is None:
            raise ApproverUnknown(to, field="to")
        if to in (self._unit.actor, request.approver):
            raise errors.PassedToSelf(request.id, to)
        if to in await self._lifecycle.barred_people(request):
            raise errors.RecipientInvolved(to, request.id)
        if person.colleague.is_away(self._unit.now):
            raise ApproverAway(to, person.away_until, field="to")

    async def _answer(self, request_id: str, about: Topic) -> Answer:
        return await self._unit.get(Answer, f"{request_id}:{about}") or NOTHING_TO_ADD

    def _attach(self, request: Request, reference: str) -> None:
        attachment = {
            "kind": EvidenceKind.DOCUMENT,
            "reference": reference,
            "by": request.requester,
            "at": self._unit.now,
        }
        attachments = [*request.evidence.get("attachments", []), attachment]
        request.evidence = {**request.evidence, "attachments": attachments}


def _refuse_reason(decision: Choice, reason_code: ReasonCode | None) -> None:
    if decision == Choice.REJECT and reason_code is None:
        raise errors.ReasonCodeRequired
    if decision == Choice.APPROVE and reason_code is not None:
        raise errors.ReasonCodeNotAllowed
