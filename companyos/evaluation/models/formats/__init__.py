"""The formats of endpoints: prompts to messages, and responses, streamed or not, to replies."""
