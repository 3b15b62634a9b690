"""Constrained change: hand over assets while the company's automations react to every move."""
