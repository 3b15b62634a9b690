"""Agents know events and operations by ids that are always the same and count nothing."""

import re

from companyos.chassis.world.public_ids import public_id, public_operation_id


def test_equal_events_have_equal_ids_and_others_have_others() -> None:
    ids = {public_id(f"s{step}.ticketdesk.{number}") for step in range(1, 100) for number in range(1, 20)}

    assert len(ids) == 99 * 19
    assert public_id("s52.ticketdesk.1") == public_id("s52.ticketdesk.1")


def test_an_id_does_not_tell_what_it_is_made_of() -> None:
    assert re.fullmatch(r"evt-[0-9a-f]{12}", public_id("s52.ticketdesk.1"))
    assert re.fullmatch(r"op-[0-9a-f]{12}", public_operation_id("s52"))
