"""The approver's desk: stand in for an absent head of unit, and settle what waits."""
