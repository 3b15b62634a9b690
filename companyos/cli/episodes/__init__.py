"""The commands about one episode: play it by hand, and play a trace again."""
