"""The vocabulary of accounts payable: suppliers, goods, and what people say about deliveries."""

from typing import Final, NamedTuple

from companyos.sdk.company import Phrases, names
from companyos.sdk.documents import templates


class Ware(NamedTuple):
    """An item to order; `price` is the usual price of `per` units."""

    text: str
    unit: str
    per: int
    price: float


SUPPLIERS: Final = names(
    """
    Ahrens Fasteners, Borgen Hydraulics, Carvel Packaging, Dietz Bearings, Elmira Cables,
    Fosse Lubricants, Garnet Tools, Hollis Seals, Ivarsson Sheet Metal, Jarrow Filters,
    Kestner Adhesives, Lomond Plastics, Marwick Drives, Nordby Valves, Orsini Labels,
    Pellham Abrasives, Quist Sensors, Rowan Springs, Stavely Gaskets, Tresco Chains, Ulster Castings,
    Varga Couplings
    """
)
WARES: Final = (
    Ware("Hex bolts M8 x 40", "piece", 100, 18.4),
    Ware("Washers A8", "piece", 100, 6.2),
    Ware("Cable ties 200 mm", "piece", 100, 7.9),
    Ware("Blind rivets 4 x 10", "piece", 100, 9.6),
    Ware("Labels 50 x 25", "piece", 100, 5.3),
    Ware("O-rings 24 x 3", "piece", 100, 31.5),
    Ware("Steel sheet 2 mm", "kg", 100, 148.0),
    Ware("Ball bearings 6204", "piece", 1, 7.85),
    Ware("Hydraulic hose 12 mm", "meter", 1, 11.4),
    Ware("Gear oil", "liter", 1, 8.25),
    Ware("Filter cartridges", "piece", 1, 16.9),
    Ware("Pressure springs", "piece", 1, 6.4),
    Ware("Proximity sensors", "piece", 1, 24.6),
    Ware("Sanding belts", "piece", 1, 5.75),
    Ware("Two-part adhesive", "cartridge", 1, 13.2),
)
TEAMS: Final = ("Assembly", "Maintenance", "Tool Shop", "Packing", "Test Bay")
#: The answers of a receiver who is still counting; the time is when the count will be booked.
COUNTING: Final = templates(
    "The rest of {note} came this morning and stands at the gate. We are counting; it is booked by {time}.",
    "Yes, there is more of {note}: two crates on the dock that nobody has counted yet. Booked by {time} today.",
    "We have only booked half of {note} so far. The other pallets are being counted and booked by {time}.",
)
#: The receiver's answers if the rest comes another day.
LATER: Final = templates(
    "The missing part of {note} is on another truck, due on {day}. Nothing of it is here.",
    "{supplier} called: the rest of {note} left them late and is due on {day}.",
    "Not complete yet. The remainder of {note} is due on {day}, they say.",
)
#: The receiver's answers if nothing more comes.
NEVER: Final = templates(
    "That is all there was. I wrote the shortage on the driver's copy of {note}; nothing more comes.",
    "We counted {note} twice. The crates had fewer than the slip says, and nothing more comes for it.",
    "{supplier} knows. They packed too few for {note}, and nothing more comes.",
)
CALL_BACK: Final = Phrases(
    openings=(
        "{name} has written about new bank details.",
        "Please call {name} back about their account.",
        "Bank details of {name}: somebody has to ring them.",
        "{name} wants to be paid elsewhere from now on.",
        "Another change of bank details, this time {name}.",
    ),
    details=(
        "The mail looks genuine to me, but I would not know.",
        "Their usual contact is on leave.",
        "They ask us to hurry.",
        "{team} has an order running with them.",
        "It is the second time this year.",
        "The mail came to the shared mailbox.",
    ),
    closings=("Thanks!", "Whoever has a minute.", "Tell me when it is done.", "Not urgent for me."),
)
#: Successful resolutions of a call-back to the number on record.
CONFIRMED: Final = (
    "Called {phone}. Their accounts department confirms {account}.",
    "Reached them under {phone}; {account} is right.",
    "Rang {phone} and spoke to their bookkeeping: the account is {account}.",
)
#: What Treasury writes about a transfer for several invoices.
TRANSFERS: Final = templates(
    (
        "We transferred {amount:.2f} EUR to {supplier} by hand on {day}, for several of the invoices that {clerk} has "
        "open. The bank statement shows no more than the sum. Please do not pay any of them again."
    ),
    (
        "{supplier} was about to stop deliveries, so we transferred {amount:.2f} EUR on {day}, in one go for several "
        "of the invoices that {clerk} has open. Nobody wrote down which. Please sort it out on your side."
    ),
    (
        "For your information: {amount:.2f} EUR went to {supplier}, transferred on {day} for several of the "
        "invoices that {clerk} has open. We gave no reference, so {supplier} cannot say for which ones either."
    ),
)
#: Notices of Finance that do not stop payments.
NOTICES: Final = (
    "Invoices below 20 EUR are scanned by the mail room from now on. Nothing else changes.",
    "The old stamp with the round border is no longer valid; use the square one.",
    "The archive on the third floor is closed on Friday afternoon.",
    "Travel expenses go to the new mailbox and no longer to Accounts Payable.",
)
