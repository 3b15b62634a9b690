"""The runtime of one process: settings, components, limits and metrics."""
