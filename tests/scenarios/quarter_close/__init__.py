"""The quarter-end close."""
