"""The admin API that services offer to the orchestrator."""
