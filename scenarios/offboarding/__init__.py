"""Off-boarding: a colleague leaves or moves, and everything of theirs finds the right new place."""
