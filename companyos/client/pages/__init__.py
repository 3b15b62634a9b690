"""The pages of the agent API, read as text: a browser, and the door through which agents use it."""
