"""Faults as an episode meets them: what happens to a call, and what came of each fault."""
