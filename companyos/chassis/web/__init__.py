"""HTTP: from the request through the unit of work to the response."""
