"""The packs that unit tests make companies of: those of the scenarios in this repository."""

from scenarios.packs import engineering, finance, office, people, procurement

PACKS = (office.PACK, finance.PACK, procurement.PACK, engineering.PACK, people.PACK)
