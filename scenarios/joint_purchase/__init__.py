"""Joint purchase: two departments want one thing, and both of their budgets have to bear it."""
