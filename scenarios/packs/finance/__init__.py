"""Finance: expense reports and budgets, the approvers of spending, and the ledger."""

from companyos.sdk.company import Ledger, Office, Pack, TicketKind

from . import names, phrases
from .approvals import BUDGET_RELEASE, EXPENSE_APPROVAL, budget_release, expense_approval
from .documents import DOCUMENTS, MAILS
from .stories import expense_report

EXPENSE = "expense"

PACK = Pack(
    name="finance",
    ticket_kinds=(
        TicketKind(
            EXPENSE,
            "Expense report",
            ("low", "medium", "high"),
            ("accountant", "finance_director"),
            phrases=phrases.EXPENSE,
        ),
    ),
    approval_types=(expense_approval(),),
    record_kinds=(EXPENSE,),
    offices=(
        Office("cfo", "Finance", deputy="controller", original="Sarah Chen"),
        Office("finance_director", "Finance", deputy="operations_lead", is_trusted=True),
        Office("manager", "Finance"),
        Office("controller", "Finance", original="David Kim", is_trusted=True),
    ),
    teams=(("Finance", "accountant"),),
    # The delegates of the two main approvers are namesakes, to be easily confused.
    namesakes={"operations_lead": "controller"},
    stories=(expense_report,),
    documents=DOCUMENTS,
    mails=MAILS,
    side_requests=(budget_release(),),
    ledger=Ledger("cost_allocation", "CA", "Cost allocation of {name}"),
)

__all__ = ["BUDGET_RELEASE", "EXPENSE", "EXPENSE_APPROVAL", "PACK", "names"]
