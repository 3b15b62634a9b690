"""The vocabulary of procurement: vendors, their lines of business, and products."""

from companyos.sdk.company import words

VENDORS = words(
    """
    Acorn Altamont Amber Anchor Arcadia Aspen Atlas Aurora Beacon Birch Bluestone Cascade Cedar Cobalt
    Compass Copper Coral Crescent Delta Ember Everett Falcon Granite Harbor Helix Horizon Indigo Juniper
    Keystone Lumen Maple Meridian Nimbus Northwind Oakline Onyx Orchard Pinnacle Prairie Quarry Redwood
    Ridge Saffron Sierra Summit Tidewater Vertex Willow Zephyr
    """
)
#: Lines of business, each with a similar one for look-alikes.
TRADES = (
    ("Supplies", "Supply"),
    ("Logistics", "Logistic Services"),
    ("Systems", "System"),
    ("Partners", "Partnership"),
    ("Industrial", "Industries"),
    ("Software", "Softworks"),
    ("Analytics", "Analysis"),
    ("Catering", "Caterers"),
    ("Packaging", "Packages"),
    ("Facilities", "Facility Services"),
)
PRODUCTS = words(
    """
    Draftboard Planline Mailroom Quillpad Stackview Tracehub Vaultkey Whiteroom Formcraft Deskbell
    Linewise Pageturn
    """
)
COUNTRIES = ("DE", "FR", "NL", "SE", "ES", "IT", "PL", "US", "CA", "JP")
