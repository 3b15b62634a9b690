"""The agents of a run: built-in agents, programs, Python code, and agents that connect by themselves."""
