"""The OpenEnv protocol: HTTP, WebSocket, JSON-RPC, tasks and batches."""
