"""Bug escalation: unblock a bug, then check whether it is still worth escalating."""
