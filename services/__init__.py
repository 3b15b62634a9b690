"""The business services, each in a package that knows nothing of the others."""
