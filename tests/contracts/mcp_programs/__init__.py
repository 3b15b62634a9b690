"""Programs that play by released MCP clients, run in environments of their own; each prints what it saw as JSON."""
