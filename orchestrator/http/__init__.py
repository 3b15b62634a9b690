"""The HTTP and WebSocket interfaces to the episodes: the trainer API, with OpenEnv, and the agent API."""
