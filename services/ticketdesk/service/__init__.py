"""The rules of TicketDesk: one public method per tool."""

from .blockers import Blockers
from .service_levels import Answers, Clocks
from .threads import Threads
from .tickets import TicketDesk

__all__ = ["Answers", "Blockers", "Clocks", "Threads", "TicketDesk"]
