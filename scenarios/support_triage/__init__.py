"""Support triage: work the intake queue for a morning, including tickets that still arrive."""
