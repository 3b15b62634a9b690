"""The agent's side of a step: its tools, the intents of its actions, and its observations."""
