"""Packs: what a department adds to a company, as plain data, and how the packs of a scenario combine."""
