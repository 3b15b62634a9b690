"""The stack on one bare machine: PostgreSQL and Valkey from wheels, the services forked beside them."""
