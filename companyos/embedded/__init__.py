"""The stack on one machine without Docker: PostgreSQL and Valkey from wheels, services as forked processes."""
