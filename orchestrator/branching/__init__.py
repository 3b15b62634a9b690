"""Snapshots, restores and forks of episodes, and snapshots as files."""
