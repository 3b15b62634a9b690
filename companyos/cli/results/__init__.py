"""The commands that show results to people."""
