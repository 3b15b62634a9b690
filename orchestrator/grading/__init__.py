"""The rewards of a step and the grade of an episode, derived from committed rows."""
