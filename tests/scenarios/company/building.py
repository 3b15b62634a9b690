"""Companies under construction, which these tests write to: of the packs of the five small families, without people."""

from companyos.sdk.company import Company, Pack
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import from_iso
from scenarios.packs import engineering, finance, office, people, procurement

START = from_iso("2031-03-03T09:00:00Z")
PACKS = (office.PACK, finance.PACK, procurement.PACK, engineering.PACK, people.PACK)


def company(seed: int = 0, packs: tuple[Pack, ...] = PACKS, size: str | int = "small") -> Company:
    """Return a company without people and stories."""
    return Company(Draws("salt", "company", seed), START, packs, size)
