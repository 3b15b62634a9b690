"""Short scripts that use the environment as a trainer does; start one with `python -m examples.<name>`."""
