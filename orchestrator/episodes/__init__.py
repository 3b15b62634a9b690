"""The operations of an orchestrator process for trainers, one method each."""
