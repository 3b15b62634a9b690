"""Support triage: a morning at the support desk, with everything that is in the intake queue and still comes in."""
