"""The business services. Each is a package of its own that knows nothing of the others."""
