"""The wire types of the quality area."""

from pydantic import Field

from companyos.chassis import Body, SimTime, Text, View

from ..domain import MetricStatus


class PastValueView(View):
    """A value that a metric had."""

    id: str = Field(description="Id of the entry.")
    metric_id: str = Field(description="The metric.")
    version: int = Field(description="The metric's version that had the value.")
    value: float | None = Field(description="The value; null if none was found.")
    as_of: SimTime = Field(description="When the value was taken.")
    source: str = Field(description="The job that took it.")
    requested_by: str = Field(description="Person id of who requested it, or the job itself.")


class GiveReason(Body):
    """Why the status of a metric changes."""

    reason: Text = Field(description="What was found, with the ids it rests on. Kept on record.")


class MetricStatusView(View):
    """A metric's status."""

    id: str = Field(description="Id of the metric.")
    name: str = Field(description="What is measured.")
    subject: str | None = Field(description="Id of its subject; null if it is about the company.")
    status: MetricStatus = Field(description="`ok`, or `quarantined`: known to be wrong.")
