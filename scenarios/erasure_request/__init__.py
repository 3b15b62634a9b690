"""Erasure requests: what the company holds about one person is found, and erased as far as it may be."""
