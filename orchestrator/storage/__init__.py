"""The orchestrator's tables: statements, rows and migrations."""
