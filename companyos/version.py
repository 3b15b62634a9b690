"""The version of the distribution, which the build reads here."""

__version__ = "0.1.0"
