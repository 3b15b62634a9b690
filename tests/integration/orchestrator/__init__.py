"""The orchestrator with services, databases and a bus, all of them real."""
