"""Data-quality audit: find the dashboards that rest on bad data, and quarantine only those."""
