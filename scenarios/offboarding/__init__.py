"""Off-boarding: a colleague leaves or moves, and everything of theirs goes to the right people."""
