"""What a task asks of committed state, and what an agent may write."""
