"""The limits of PostgreSQL that a value can exceed: its input is at fault, not the server's state."""

from typing import Final

from psycopg import errors

#: psycopg counts these as operational, like lost connections; but the same statement fails each time.
PROGRAM_LIMITS: Final = (
    errors.ProgramLimitExceeded,
    errors.StatementTooComplex,
    errors.TooManyColumns,
    errors.TooManyArguments,
)
