"""The stack on one bare machine: PostgreSQL and Valkey from wheels, the services forked beside them."""

from .databases import Databases, start_databases
from .errors import StackError

__all__ = ["Databases", "StackError", "start_databases"]
