"""DataHub: metrics with an age, the records of the company, and its people."""
