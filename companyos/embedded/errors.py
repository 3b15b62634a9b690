"""What can go wrong on a machine, always said together with what would make it right."""


class StackError(Exception):
    """The embedded stack cannot do what was asked; the message ends with the way out."""


class AlreadyRunning(StackError):
    """Another live process owns this home directory."""
