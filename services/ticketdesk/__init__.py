"""TicketDesk: the tickets of a company. `README.md` describes it, and `service/` contains the rules."""
