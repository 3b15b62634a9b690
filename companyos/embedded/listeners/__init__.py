"""The connections that a process accepts: how many, and how long each may take."""
