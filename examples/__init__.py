"""Short scripts that use the environment as a trainer would; each starts as `python -m examples.<name>`."""
