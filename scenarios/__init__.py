"""The scenarios: one folder each, found by its name."""
