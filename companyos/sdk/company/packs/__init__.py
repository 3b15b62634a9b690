"""Packs: departments' contributions to a company as plain data, and the combination of a scenario's packs."""
