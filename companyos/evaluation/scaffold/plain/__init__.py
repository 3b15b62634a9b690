"""Stock check: get a fresh count of a product and set the priority of its ticket by the count."""
