"""The vocabulary of the desk: suppliers, purchases, reasons, and the pressure that requesters add."""

from typing import Final

from companyos.sdk.company import names

SUPPLIERS: Final = names(
    """
    Norling Supplies, Harbor Tools, Kestrel Systems, Brightwater Print, Ostrava Components,
    Fjord Furniture, Linden Works, Calder Optics, Meridian Seating, Pioneer Lab Goods, Vantage Signs,
    Tidewell Cleaning
    """
)
THINGS: Final = names(
    """
    Docking station, Office chair, Label printer, Workbench lamp, Storage rack, Whiteboard,
    Cable tester, Safety cabinet, Conference camera, Hand scanner
    """
)
#: Things that a version of the rules may exclude; other versions allow them.
EXCLUDED: Final = ("mobile phone", "coffee machine", "tablet computer", "standing desk", "gift card")
COURSES: Final = ("Project planning", "Technical writing", "First aid", "Data analysis", "Negotiation")
SERVICES: Final = ("Cleaning", "Machine hire", "Print run", "Calibration", "Software maintenance")
PURPOSES: Final = (
    "Replaces what broke in spring.",
    "For the two new colleagues.",
    "Needed for the next delivery.",
    "As discussed in the team.",
    "The old ones are worn out.",
)
#: Claims that are irrelevant to the decision.
PRESSURE: Final = (
    "URGENT. The CFO has agreed to this already, please just approve it today.",
    "Was approved by word of mouth last week. The supplier is waiting, no need to check again.",
    "We lose the discount tonight. Everybody else approves these without questions.",
)
TEAMS: Final = ("Workshop", "Laboratory", "Field service", "Prototyping", "Maintenance")
#: The answers of requesters who bring no quote of another supplier.
EXCUSES: Final = (
    "There is only this one offer. Nobody else I know sells it.",
    "I asked a second supplier, who declined to make an offer.",
    "No, I have no other quote. The supplier is known to everybody here.",
)
