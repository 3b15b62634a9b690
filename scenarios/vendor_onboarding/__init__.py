"""Vendor onboarding: refresh a score, find the delegate, and get a vendor approved."""
