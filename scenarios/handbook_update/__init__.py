"""Handbook update: the head count decides whether People or Legal publishes."""
