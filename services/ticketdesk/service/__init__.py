"""The rules of TicketDesk: one public method per tool, in `tickets.py`, `threads.py` and `blockers.py`."""

from .blockers import Blockers
from .threads import Threads
from .tickets import TicketDesk

__all__ = ["Blockers", "Threads", "TicketDesk"]
