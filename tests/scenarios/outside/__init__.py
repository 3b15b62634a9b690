"""Scenarios that are not the repository's: tests load them from outside, as their authors would."""
