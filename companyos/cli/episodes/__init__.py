"""The commands about one episode: play it by hand, and replay a trace."""
