"""The agent API: tools over MCP and REST, for one episode, under that episode's token."""
