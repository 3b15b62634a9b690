"""Bug escalation: unblock a bug, then see whether it is still worth escalating."""
