"""Leaderboards: folders of runs whose every number was recomputed, and a page that shows them."""
