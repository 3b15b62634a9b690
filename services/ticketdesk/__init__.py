"""TicketDesk: the tickets of a company. Start reading at `service.py`, or at `README.md` for the story."""
