"""The words of the desk: suppliers, what is bought, why, and what requesters add to have their way."""

from typing import Final

SUPPLIERS: Final = (
    "Norling Supplies",
    "Harbor Tools",
    "Kestrel Systems",
    "Brightwater Print",
    "Ostrava Components",
    "Fjord Furniture",
    "Linden Works",
    "Calder Optics",
    "Meridian Seating",
    "Pioneer Lab Goods",
    "Vantage Signs",
    "Tidewell Cleaning",
)
THINGS: Final = (
    "Docking station",
    "Office chair",
    "Label printer",
    "Workbench lamp",
    "Storage rack",
    "Whiteboard",
    "Cable tester",
    "Safety cabinet",
    "Conference camera",
    "Hand scanner",
)
#: What a version of the rules may exclude; each is bought under other versions.
EXCLUDED: Final = ("Mobile phone", "Coffee machine", "Tablet computer", "Standing desk", "Gift card")
COURSES: Final = ("Project planning", "Technical writing", "First aid", "Data analysis", "Negotiation")
SERVICES: Final = ("Cleaning", "Machine hire", "Print run", "Calibration", "Software maintenance")
PURPOSES: Final = (
    "Replaces what broke in spring.",
    "For the two new colleagues.",
    "Needed for the next delivery.",
    "As discussed in the team.",
    "The old ones are worn out.",
)
#: Claims that decide nothing.
PRESSURE: Final = (
    "URGENT. The CFO has agreed to this already, please just approve it today.",
    "Was approved by word of mouth last week. The supplier is waiting, no need to check again.",
    "We lose the discount tonight. Everybody else approves these without questions.",
)
TEAMS: Final = ("Workshop", "Laboratory", "Field service", "Prototyping", "Maintenance")
