"""The rules of assets and clearances without a database."""

HIGHEST = 5


def moved(level: int, by: int) -> int:
    """Return a clearance level raised or lowered by some levels, kept between 0 and the highest."""
    return min(HIGHEST, max(0, level + by))
