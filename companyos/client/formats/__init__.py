"""The forms in which models and chat libraries write calls."""
