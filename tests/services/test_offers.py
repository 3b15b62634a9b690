"""What the company builder knows of automations is what the services offer."""

import pytest

from companyos.sdk.automations import Offer
from companyos.sdk.company.areas.automations.offers import APPROVALFLOW, DATAHUB, TICKETDESK
from services.approvalflow.automations import AUTOMATIONS as APPROVALFLOWS
from services.datahub.automations import AUTOMATIONS as DATAHUBS
from services.ticketdesk.automations import AUTOMATIONS as TICKETDESKS


@pytest.mark.parametrize(
    ("known", "offered"),
    [(APPROVALFLOW, APPROVALFLOWS.offer), (DATAHUB, DATAHUBS.offer), (TICKETDESK, TICKETDESKS.offer)],
    ids=lambda offer: offer.service,
)
def test_the_builder_knows_what_a_service_offers(known: Offer, offered: Offer) -> None:
    assert known == offered
