"""Stock check: count a product afresh and set the priority of its ticket by the count."""
