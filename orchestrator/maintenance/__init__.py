"""Background jobs and readiness of an orchestrator process."""
