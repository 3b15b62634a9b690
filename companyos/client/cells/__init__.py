"""Clients of several stacks: where requests go, and the connections to each."""
