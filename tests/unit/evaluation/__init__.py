"""Evaluation: agents, baselines, acceptance, checkpoints and curves."""
