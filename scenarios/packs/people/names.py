"""The vocabulary of the people team: sections of the handbook."""

SECTIONS = (
    "Remote work",
    "Parental leave",
    "Travel and lodging",
    "Working hours",
    "Sick leave",
    "Training budget",
    "Code of conduct",
    "Home office equipment",
    "Bicycle scheme",
    "Visitors and badges",
)
