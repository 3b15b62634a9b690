"""Incident and change: find what makes a system fail, and repair it as far as the rules allow."""
