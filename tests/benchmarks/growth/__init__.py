"""Growth: how the cost of resets, steps, snapshots and forks, and the storage, grow with the load."""
