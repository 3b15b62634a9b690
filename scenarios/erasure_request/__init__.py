"""Erasure request: find what the company holds about one person, and erase what may be erased."""
