"""Fault injection: what happens to a call that an incident of the fault plan hits."""
