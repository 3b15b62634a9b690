"""TicketDesk's decisions, without a database."""
