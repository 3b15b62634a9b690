"""A step from claim to commit: played, graded and recorded exactly once."""
