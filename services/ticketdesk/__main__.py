"""Run TicketDesk in its own process: `python -m services.ticketdesk`."""

from companyos.embedded.server import serve

if __name__ == "__main__":
    serve("ticketdesk")
