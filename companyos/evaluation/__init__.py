"""Whether scenarios can be trusted: agents that play them, certification, gates and curves."""
