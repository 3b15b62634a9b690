"""What a company has besides tickets, metrics and requests: one module for each area of the services."""
