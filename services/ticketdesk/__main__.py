"""Run TicketDesk as a process of its own: `python -m services.ticketdesk`."""

from companyos.embedded.server import serve

if __name__ == "__main__":
    serve("ticketdesk")
