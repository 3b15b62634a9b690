"""The embedded PostgreSQL and Valkey, as real processes in homes of their own."""
