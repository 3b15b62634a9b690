"""The vocabulary of closing: entities, metrics of their books, and how people write about them."""

from typing import Final

from companyos.company import Phrases

#: Entities with similar names.
ENTITIES: Final = (
    ("Norrland Tools", "Norrland Tools Trading"),
    ("Halden Paper", "Halden Packaging"),
    ("Corvina Foods", "Corvina Foods Export"),
    ("Tessel Optics", "Tessel Lenses"),
    ("Marram Shipping", "Marram Ship Supply"),
    ("Ostrava Steel", "Ostrava Steel Service"),
    ("Bellis Garden", "Bellis Greenhouse"),
    ("Quarto Print", "Quarto Print Media"),
)
#: The metrics that are lines of the books, with the statement that each belongs to.
LINES: Final = (
    ("trade_receivables", "balance"),
    ("accrued_expenses", "balance"),
    ("deferred_revenue", "balance"),
    ("inventory_value", "balance"),
    ("cash_in_transit", "balance"),
    ("warranty_provision", "balance"),
    ("intercompany_balance", "balance"),
    ("rebate_accrual", "balance"),
    ("freight_cost", "result"),
    ("royalty_income", "result"),
    ("transfer_margin", "result"),
    ("payroll_cost", "result"),
    ("scrap_cost", "result"),
    ("service_revenue", "result"),
)
#: The sources of lines besides other lines.
FEEDS: Final = (("eur_usd_rate", "USD"), ("overhead_key", "percent"), ("working_hours", "hours"))
QUARTERS: Final = (
    ("Q4 2030", "2030-10-01", "2031-01-01"),
    ("Q1 2031", "2031-01-01", "2031-04-01"),
    ("Q2 2031", "2031-04-01", "2031-07-01"),
    ("Q3 2031", "2031-07-01", "2031-10-01"),
    ("Q4 2031", "2031-10-01", "2032-01-01"),
    ("Q1 2032", "2032-01-01", "2032-04-01"),
)
CAUSES: Final = (
    "a delivery that arrived after the cut-off",
    "a credit note that was posted twice",
    "an invoice in the wrong quarter",
    "a rounding of the old system that nobody corrected",
    "goods on the way between two warehouses",
    "a bonus that was paid early",
)

CLOSE: Final = Phrases(
    openings=(
        "{name} has to be closed.",
        "Please take the close of {name}.",
        "It is that time again: {name}.",
        "{team} waits for the figures of {name}.",
        "The close of {name} is due this week.",
    ),
    details=(
        "The auditors come next month.",
        "Last time it took three days.",
        "Some figures are still from before the weekend.",
        "I have seen differences in the lists.",
        "The bank has sent its statements.",
        "Somebody was on leave when it should have been prepared.",
    ),
    closings=("Thanks!", "Ask Finance if anything is unclear.", "Please do not wait for me."),
)
VARIANCE: Final = Phrases(
    openings=(
        "{name} does not agree with its reference.",
        "There is a difference in {name}.",
        "{name}: the books and the statement differ.",
        "Found while closing: {name}.",
        "Somebody should look into {name}.",
    ),
    details=(
        "I could not find the posting.",
        "It was smaller a quarter ago.",
        "The owner has been asked.",
        "The statement is in the folder.",
        "It may be a matter of cut-off.",
    ),
    closings=("To be settled next quarter.", "Thanks!", "Not urgent for operations."),
)
ENDS: Final = ("Posted with the next quarter.", "Explained by the statement of the bank.", "Written off.")
