"""Laboratory access: a room whose incidents say who may let somebody in."""
