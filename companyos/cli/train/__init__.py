"""The commands that train a policy."""
