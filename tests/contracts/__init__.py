"""What clients may rely on: the OpenEnv protocol and what goes beyond it, against a whole running stack."""
