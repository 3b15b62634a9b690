"""Cells: whole stacks side by side, each of which holds its own episodes and snapshots."""
