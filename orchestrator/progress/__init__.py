"""The progress of an episode: its graded state and its faults, rebuilt from its records."""
