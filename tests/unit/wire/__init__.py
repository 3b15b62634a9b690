"""The parts of the trainer door that need no episodes."""
