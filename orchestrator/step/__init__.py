"""A step from claim to commit: exactly once, played, graded and recorded."""
