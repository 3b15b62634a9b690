"""Tests of support triage: its instances and its episodes."""
