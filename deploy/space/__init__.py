"""The environment as a folder of Python, which `openenv push` asks for; the package itself is `companyos`."""
