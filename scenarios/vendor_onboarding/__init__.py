"""Vendor onboarding: refresh a score, find who stands in, get a vendor approved."""
