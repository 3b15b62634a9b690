"""The trainer API beyond OpenEnv: episodes, snapshots, scenarios and a company page."""
