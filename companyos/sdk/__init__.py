"""Building blocks for scenarios: company state, keyed draws, simulated time, and scenario discovery."""
