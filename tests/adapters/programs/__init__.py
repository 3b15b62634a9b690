"""Programs that play through a framework; they run in that framework's environment and print what came of it."""
