"""The revisions of the orchestrator's schema, oldest first by number."""
