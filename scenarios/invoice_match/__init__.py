"""Invoice match: settle a week's supplier invoices against orders and deliveries."""
