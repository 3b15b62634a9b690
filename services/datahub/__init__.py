"""DataHub: the company's metrics, which age, its records, and its people."""
