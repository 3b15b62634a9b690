"""Adapters to training and evaluation frameworks. Each module imports its framework; this package imports none."""
