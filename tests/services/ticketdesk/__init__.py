"""TicketDesk as its callers meet it: over HTTP and the bus, on a real PostgreSQL and Redis."""
