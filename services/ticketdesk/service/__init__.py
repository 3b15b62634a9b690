"""The rules of TicketDesk: one public method per tool, in `tickets.py` and `threads.py`."""

from .threads import Threads
from .tickets import TicketDesk

__all__ = ["Threads", "TicketDesk"]
