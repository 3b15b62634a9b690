"""The vocabulary of every office: names of people and employers, and what colleagues say."""

from companyos.sdk.company import words

FIRST = words(
    """
    Ada Aisha Alan Amara Anders Anika Arjun Astrid Bela Bruno Carla Chen Clara Dario Dmitri Ebba Elena
    Emeka Erik Esra Fatima Felix Freya Gita Hana Hugo Ines Ivan Jana Jonas Kaito Karin Kofi Lars Leila
    Linnea Luca Maja Marco Mei Milan Nadia Nils Noor Olga Omar Pablo Petra Rafael Ravi Rosa Samir Selma
    Sofia Tariq Tove Uma Viktor Wanda Yara
    """
)
LAST = words(
    """
    Abbott Adeyemi Aoki Bakker Barros Becker Bianchi Bose Brandt Castro Cohen Costa Dahl Demir Diallo
    Dubois Eklund Farrell Ferrari Fischer Fontaine Garcia Gruber Haddad Hansen Hoffman Ibarra Iyer
    Jansen Joshi Kaur Keller Khan Kowalski Laine Lindgren Lopez Mancini Mbeki Mehta Moreau Nakamura
    Novak Nyberg Okafor Olsen Park Patel Peeters Pereira Quinn Rahman Reyes Ricci Rossi Sato Schmidt
    Silva Singh Sorensen Suzuki Tanaka Torres Ueda Vargas Virtanen Vogel Wagner Weber Winter Wong Yilmaz
    Zhang Zimmer
    """
)
COMPANIES = words(
    """
    Alderway Brightwater Calderon Dunmore Eastgate Fernhill Glenrose Harrowby Ironbridge Junipero
    Kestrel Larkfield
    """
)
CHORES = (
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
#: Work that other work waits for, each with its result.
GROUNDWORK = (
    ("Collect the papers on {name}", "All papers are in the folder."),
    ("Check {name} against last year's list", "No difference was found."),
    ("Ask the team that uses {name} for its view", "The team has answered."),
    ("Confirm the contact person of {name}", "The contact is confirmed."),
    ("File the correspondence about {name}", "The correspondence is filed."),
    ("Sum up what was agreed on {name}", "The summary is written."),
)
#: Company-wide metrics that work may wait for, with their units.
WAITED_FOR = (
    ("open_findings", "findings"),
    ("open_invoices", "invoices"),
    ("free_capacity", "hours"),
    ("stock_on_hand", "pieces"),
)
REMARKS = (
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
REASONS = ("annual leave", "parental leave", "conference", "sick leave", "training")
#: Reasons for absences of several days.
LEAVES = ("annual leave", "parental leave", "conference")
