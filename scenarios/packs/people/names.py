"""The vocabulary of the people team: sections of the handbook."""

from companyos.sdk.company import names

SECTIONS = names(
    """
    Remote work, Parental leave, Travel and lodging, Working hours, Sick leave, Training budget,
    Code of conduct, Home office equipment, Bicycle scheme, Visitors and badges
    """
)
