"""Evaluation: agents that play scenarios, certification, runs, reports and the viewer."""
