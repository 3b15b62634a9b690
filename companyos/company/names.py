"""The words a company is named with: people, vendors, services, products and what colleagues say."""

from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST: Final = _words(
    """
    Ada Aisha Alan Amara Anders Anika Arjun Astrid Bela Bruno Carla Chen Clara Dario Dmitri Ebba Elena
    Emeka Erik Esra Fatima Felix Freya Gita Hana Hugo Ines Ivan Jana Jonas Kaito Karin Kofi Lars Leila
    Linnea Luca Maja Marco Mei Milan Nadia Nils Noor Olga Omar Pablo Petra Rafael Ravi Rosa Samir Selma
    Sofia Tariq Tove Uma Viktor Wanda Yara
    """
)

LAST: Final = _words(
    """
    Abbott Adeyemi Aoki Bakker Barros Becker Bianchi Bose Brandt Castro Cohen Costa Dahl Demir Diallo
    Dubois Eklund Farrell Ferrari Fischer Fontaine Garcia Gruber Haddad Hansen Hoffman Ibarra Iyer
    Jansen Joshi Kaur Keller Khan Kowalski Laine Lindgren Lopez Mancini Mbeki Mehta Moreau Nakamura
    Novak Nyberg Okafor Olsen Park Patel Peeters Pereira Quinn Rahman Reyes Ricci Rossi Sato Schmidt
    Silva Singh Sorensen Suzuki Tanaka Torres Ueda Vargas Virtanen Vogel Wagner Weber Winter Wong Yilmaz
    Zhang Zimmer
    """
)

COMPANIES: Final = _words(
    """
    Alderway Brightwater Calderon Dunmore Eastgate Fernhill Glenrose Harrowby Ironbridge Junipero
    Kestrel Larkfield
    """
)

VENDORS: Final = _words(
    """
    Acorn Altamont Amber Anchor Arcadia Aspen Atlas Aurora Beacon Birch Bluestone Cascade Cedar Cobalt
    Compass Copper Coral Crescent Delta Ember Everett Falcon Granite Harbor Helix Horizon Indigo Juniper
    Keystone Lumen Maple Meridian Nimbus Northwind Oakline Onyx Orchard Pinnacle Prairie Quarry Redwood
    Ridge Saffron Sierra Summit Tidewater Vertex Willow Zephyr
    """
)

#: Lines of business, each with one that is easily taken for it: the stuff of look-alikes.
TRADES: Final = (
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

COMPONENTS: Final = _words(
    """
    auth billing checkout search notification reporting inventory identity gateway scheduling export
    archive
    """
)
SYMPTOMS: Final = (
    "Requests fail after the nightly deployment",
    "Sessions are dropped at random",
    "Answers arrive twice",
    "Users see an error page after signing in",
    "Calls time out under load",
    "Retries pile up in the queue",
)
PRODUCTS: Final = _words(
    """
    Draftboard Planline Mailroom Quillpad Stackview Tracehub Vaultkey Whiteroom Formcraft Deskbell
    Linewise Pageturn
    """
)
SECTIONS: Final = (
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
PURPOSES: Final = (
    "Customer visit",
    "Trade fair",
    "Team offsite",
    "Site inspection",
    "Training course",
    "Equipment for the lab",
    "Conference",
    "Relocation",
)
CHORES: Final = (
    "Order new chairs for the second floor",
    "Collect feedback on the new canteen",
    "Update the emergency contact list",
    "Prepare the room for the board meeting",
    "Renew parking permits",
    "Sort the shared drive of the team",
    "Plan the summer party",
    "Replace the label printer",
    "Archive last year's contracts",
    "Book the fire drill",
)
#: Work that other work waits for, each with what it comes to.
GROUNDWORK: Final = (
    ("Collect the papers on {name}", "All papers are in the folder."),
    ("Check {name} against last year's list", "No difference was found."),
    ("Ask the team that uses {name} for its view", "The team has answered."),
    ("Confirm the contact person of {name}", "The contact is confirmed."),
    ("File the correspondence about {name}", "The correspondence is filed."),
    ("Sum up what was agreed on {name}", "The summary is written."),
)
#: Figures of the whole company that work may wait for, with their units.
WAITED_FOR: Final = (
    ("open_findings", "findings"),
    ("open_invoices", "invoices"),
    ("free_capacity", "hours"),
    ("stock_on_hand", "pieces"),
)
#: What budgets are set aside for.
RESERVES: Final = ("travel", "training", "equipment", "outside help", "the office move")
REMARKS: Final = (
    "Any news on this?",
    "I will look at it this week.",
    "Same as last quarter, as far as I can see.",
    "Waiting for an answer from the other side.",
    "Thanks, that helps.",
    "Please keep me posted.",
    "I asked around, nobody objects.",
    "The numbers in the summary are from the last meeting.",
    "Put this on the agenda for Monday.",
)
REASONS: Final = ("annual leave", "parental leave", "conference", "sick leave", "training")
COUNTRIES: Final = ("DE", "FR", "NL", "SE", "ES", "IT", "PL", "US", "CA", "JP")

#: Teams and the role most of their people have.
TEAMS: Final = (
    ("Engineering", "engineer"),
    ("Finance", "accountant"),
    ("Purchasing", "analyst"),
    ("People", "people_partner"),
    ("Operations", "coordinator"),
    ("Sales", "account_manager"),
    ("Support", "support_agent"),
)
