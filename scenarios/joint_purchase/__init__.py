"""Joint purchase: two departments want the same thing, and both of their budgets have to pay for it."""
