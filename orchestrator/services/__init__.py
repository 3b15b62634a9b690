"""The services, reached over HTTP and Redis: calls, manifests, events and their barrier."""
