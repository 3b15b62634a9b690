"""The `run` and `export` commands: play an agent over many episodes, and make training data of them."""
