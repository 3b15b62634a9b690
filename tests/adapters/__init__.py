"""Each adapter under its own framework, as released, in an environment of its own, against a running stack."""
