"""Approver's desk: stand in for an absent head of unit, and decide the waiting requests."""
