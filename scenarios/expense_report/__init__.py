"""Expense report: the amount decides who decides, and the rate has moved."""
