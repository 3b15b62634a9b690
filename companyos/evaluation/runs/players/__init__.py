"""The agents of a run: those of CompanyOS, programs, Python code, and agents that come by themselves."""
