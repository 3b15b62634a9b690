"""Shared options, and the declarations of the commands that are not in `app`."""
