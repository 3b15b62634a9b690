"""Worlds as chains of layers beside the same worlds copied whole at every branching: nobody can tell them apart."""
