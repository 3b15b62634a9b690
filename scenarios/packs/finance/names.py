"""The words of finance: what money is spent on."""

PURPOSES = (
    "Customer visit",
    "Trade fair",
    "Team offsite",
    "Site inspection",
    "Training course",
    "Equipment for the lab",
    "Conference",
    "Relocation",
)
#: What budgets are set aside for.
RESERVES = ("travel", "training", "equipment", "outside help", "the office move")
