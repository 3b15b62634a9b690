"""The scenarios, one folder each, found by name."""
