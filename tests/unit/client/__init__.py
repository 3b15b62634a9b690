"""What the client says and makes of answers, without a network."""
