"""The vocabulary of every other room: actions, tools, observations, records, refusals."""
