"""The environment as a Python package, as `openenv push` requires; the code itself is in `companyos`."""
