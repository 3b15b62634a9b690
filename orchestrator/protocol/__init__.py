"""The vocabulary of all other packages: actions, tools, observations, records, refusals."""
