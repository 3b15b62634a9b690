"""Support triage: its instances, and how it is played."""
