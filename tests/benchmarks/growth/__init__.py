"""Growth: what resets, steps, snapshots and forks cost where there is more of everything, and what stays on disk."""
