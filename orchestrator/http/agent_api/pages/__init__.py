"""The pages of the agent API: every tool as a page or a form, for people and for agents that use a browser."""
