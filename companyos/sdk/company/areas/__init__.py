"""The parts of a company besides tickets, metrics and requests: one module for each area of the services."""
