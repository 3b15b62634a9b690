"""PostgreSQL access: prepared statements, and epochs that detect crashes."""
