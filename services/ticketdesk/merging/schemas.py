"""The wire types of merging."""

from pydantic import Field

from companyos.chassis import Body, Key, SimTime, View


class MergeTicket(Body):
    """The ticket that a duplicate repeats."""

    into: Key = Field(description="Id of the ticket that stays open, such as `TD-1042`.")


class MergeView(View):
    """A duplicate that was merged."""

    id: str = Field(description="Id of the duplicate, which is now closed.")
    into: str = Field(description="Id of the ticket that stands for both.")
    merged_by: str = Field(description="Person id of who merged it.")
    merged_at: SimTime = Field(description="When it was merged.")
