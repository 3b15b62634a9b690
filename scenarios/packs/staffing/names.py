"""The vocabulary of staffing: projects, reports, systems, and the work that people leave behind."""

from companyos.sdk.company import names

PROJECTS = names(
    """
    Harbor, Lighthouse, Meridian, Northwind, Orchard, Pinnacle, Quarry, Riverbend, Sandstone,
    Tidewater, Upland, Vantage
    """
)
REPORTS = names(
    """
    Customer journeys, Return rates, Store visits, Delivery times, Energy use, Survey answers
    """
)
WORK = (
    "Clean the monthly extract of {project}",
    "Review the charts of {project}",
    "Answer the auditors' questions about {project}",
    "Move the reports of {project} to the new server",
    "Document the sources of {project}",
)
NO_PROJECT = (
    "Sort the archive of the team",
    "Prepare the introduction for new colleagues",
    "Collect the licences that nobody uses",
    "Write down who maintains which report",
)
DETAILS = (
    "It should be done this month.",
    "The files are where they always are.",
    "Two people have asked for it already.",
    "Nothing else waits for it.",
)
#: Systems to which every team has access.
COMMON = ("ticketdesk", "approvalflow")
SYSTEMS = ("warehouse", "notebooks", "survey_tool", "crm", "planning_board", "model_store", "field_app")
ARCHIVES = ("ledger_archive", "contract_archive", "payroll_archive")
MAILBOXES = ("data_requests_mailbox", "reports_mailbox", "survey_mailbox")
