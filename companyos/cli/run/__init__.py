"""The `run` and `export` commands: play an agent over many episodes, and export training data."""
