"""The vocabulary of a platform team: systems, areas, campaigns, and what people write about incidents."""

from typing import Final

from companyos.sdk.company import names

SYSTEMS: Final = names(
    """
    Checkout, Payment gateway, Stock ledger, Session store, Search index, Pricing engine, Mail relay,
    Identity provider, Order queue, Fraud check, Address lookup, Currency rates, Tax tables,
    Image store, Recommendations, Customer profile, Loyalty points, Warehouse link, Courier link,
    Invoice printer, Chat desk, Voucher service, Returns portal, Label printer
    """
)
REGIONS: Final = ("North", "South", "East", "West", "Central", "Overseas")
AREAS: Final = ("Payments", "Catalog", "Logistics", "Accounts", "Messaging", "Reporting")
CAMPAIGNS: Final = ("spring campaign", "year-end closing", "summer sale", "anniversary week", "harvest fair")
PROVIDERS: Final = ("Northwind Hosting", "Kestrel Cloud", "Tidewater Systems", "Aldgate Networks")
SYMPTOMS: Final = (
    "Requests fail at random",
    "Answers take minutes",
    "Half of the orders get stuck",
    "Error pages since the night",
    "Nothing arrives",
)
PURPOSES: Final = (
    "It answers about {count} requests a minute at noon.",
    "It was moved to new machines {count} weeks ago.",
    "It keeps its data for {count} days.",
    "Its logs lie with the team that owns it.",
    "It is watched from the board on the third floor.",
)
#: The description of each procedure in runbooks.
STEPS: Final = {
    "restart": "Restart its workers one after the other.",
    "previous_release": "Put the release before the present one back.",
    "failover": "Switch over to the standby site.",
    "more_capacity": "Double the number of its workers.",
}
