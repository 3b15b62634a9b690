"""Scenarios outside the repository's own, which tests load as external authors would."""
