"""The agent API: the tools of one episode over MCP and REST, opened by that episode's token."""
