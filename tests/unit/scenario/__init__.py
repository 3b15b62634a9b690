"""The scenario SDK: draws, time, chaos, state, companies, approval tasks and agents."""
