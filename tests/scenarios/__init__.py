"""Tests that every scenario has to pass, and tests of each scenario."""
