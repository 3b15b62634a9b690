"""The area's wire types. Agents read every description here as part of the tools."""

from pydantic import Field

from companyos.chassis import Body, Key, Text

from ..schemas import ExpectedVersion


class ReassignRequest(Body):
    """Another approver for a request."""

    to: Key = Field(description="Person id of the new approver.")
    reason: Text = Field(description="Kept in the audit trail.")
    version: ExpectedVersion = None
