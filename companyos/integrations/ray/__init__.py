"""Ray: workers that play, and cells on the nodes of a cluster."""
