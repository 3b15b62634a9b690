"""The trainer API: HTTP and WebSocket in front of the episodes, spoken as OpenEnv and beyond it."""
