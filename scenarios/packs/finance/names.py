"""The vocabulary of finance: purposes of spending."""

from companyos.sdk.company import names

PURPOSES = names(
    """
    Customer visit, Trade fair, Team offsite, Site inspection, Training course, Equipment for the lab,
    Conference, Relocation
    """
)
#: The purposes of budgets.
RESERVES = ("travel", "training", "equipment", "outside help", "the office move")
