"""The revisions of the orchestrator's schema, in order of their numbers."""
