"""The image run alone: the whole stack in one container."""
