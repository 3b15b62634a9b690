"""The vocabulary of analytics: areas, feeds, dashboards, and purposes of spending."""

from companyos.sdk.company import names

LINES = names(
    """
    Spare parts, Field service, Subscriptions, Rental fleet, Training, Repairs, Web shop, Key accounts,
    Wholesale, Consumables, Installations, Warranty
    """
)
REGIONS = ("North", "South", "East", "West", "Coast", "Alpine", "Central", "Overseas")
#: Every area of reporting that a company can have.
AREAS = tuple(f"{line} {region}" for line in LINES for region in REGIONS)
FEEDS = names(
    """
    Orders, Invoices, Returns, Shipments, Payments, Contracts, Claims, Visits, Stock moves
    """
)
BOARDS = names(
    """
    Revenue board, Margin board, Backlog board, Forecast, Top customers, Regional split,
    Returns monitor, Cash view, Order intake, Service levels, Price watch, Delivery radar,
    Discount tracker, Pipeline, Cost to serve, Churn watch, Warehouse view, Renewals, Open items,
    Quarter to date
    """
)
MARTS = ("Sales mart", "Finance mart", "Operations mart", "Group mart")
SPENDING = names(
    """
    a spring campaign, two temporary drivers, a stand at the trade fair, additional safety stock,
    a price study, overtime at the weekend, a customer event, a second shift
    """
)
STATES = ("booked", "cancelled", "open")
#: Reasons for an unusual but correct change of a total.
ONE_OFFS = (
    "the railway ordered a year's supply at once",
    "the takeover of a competitor's contracts was booked on one day",
    "the insurance settled all claims of the flood together",
    "a government order was invoiced in advance",
)
#: What an item of the ledger is for.
LEDGER_ITEMS = names(
    """
    the advance of a public customer, a credit note of last year, the security deposit of a dealer,
    a bonus for the season, goods in transit at the border, the share of a partner company
    """
)
#: The wording of doubts; `{area}` stands for the area.
DOUBTS = (
    "The totals of {area} look odd to several people. Can somebody go through them?",
    "Two of us do not trust the dashboards of {area} any more. Please look at what they rest on.",
    "Before the board meets again, somebody should check the dashboards of {area}.",
    "I was asked whether the numbers of {area} are sound, and I could not say.",
)
ENDS = (
    "Nothing found: the month had simply been slow.",
    "One feed had failed; its dashboards were quarantined until it was repaired.",
    "The customer master was late. Right again since the next load.",
)
