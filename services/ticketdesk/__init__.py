"""TicketDesk: the tickets of a company. `README.md` tells the story, `service/` has the rules."""
