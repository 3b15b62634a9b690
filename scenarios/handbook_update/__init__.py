"""Handbook update: the head count determines whether People or Legal approves."""
