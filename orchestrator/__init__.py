"""The orchestrator: turns independent services into episodes with observations, rewards and exact reproducibility."""
