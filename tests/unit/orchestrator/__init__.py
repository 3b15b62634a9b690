"""Unit tests of the orchestrator's pure parts."""
