"""How scripts act in a company: calls, questions and the skills of an employee."""
