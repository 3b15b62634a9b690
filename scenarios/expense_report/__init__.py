"""Expense report: the amount determines the approver, and the exchange rate has moved."""
