"""PostgreSQL and Valkey on this machine: found, started and stopped."""
