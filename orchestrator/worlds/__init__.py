"""The worlds of episodes: scenarios, generated instances, loaded bases, and layers to reclaim."""
