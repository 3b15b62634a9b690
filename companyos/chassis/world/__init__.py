"""Copy-on-write worlds: tables, statements and units of work."""
