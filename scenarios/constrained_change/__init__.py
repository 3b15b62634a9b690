"""Constrained change: assets are handed over under rules of the company that run by themselves."""
