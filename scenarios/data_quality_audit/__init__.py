"""Data-quality audit: find the dashboards that depend on bad data, and quarantine only those."""
