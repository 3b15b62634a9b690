"""Invoice match: settle a week's supplier invoices against what was ordered and what came in."""
