"""The scenario SDK: draws, time, chaos, state, companies, casework and agents."""
