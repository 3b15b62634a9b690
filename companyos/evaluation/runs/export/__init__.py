"""Runs as training data: episodes as conversations, in the formats of trainers."""
