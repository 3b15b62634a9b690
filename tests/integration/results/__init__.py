"""Results as people look at them, of real runs."""
