"""The parts of the trainer API that need no episodes."""
