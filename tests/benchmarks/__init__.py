"""Benchmarks of the whole stack, printed next to the floors measured in the same run."""
