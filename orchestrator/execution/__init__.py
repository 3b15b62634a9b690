"""The execution of a step at the services: its clock, its calls, and every event they cause."""
