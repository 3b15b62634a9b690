"""What an auditor reads from single notices and lists of metrics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.data_quality_audit import agents
from scenarios.packs.analytics import texts


def ledger_notice(amount: str, verb: str = "holds") -> str:
    """Return the notice of a ledger item about a feed."""
    days = {"first": "2031-02-20", "last": "2031-03-20"}
    told = {"cause": "a bonus", "relation": "on top of what", "feed": "Orders", "feed_id": "FEED-1"}
    return texts.LEDGER_NOTICE.format(verb=verb, amount=amount, **days, **told)


COUNT_NOTICE = texts.COUNT_NOTICE.format(
    feed="Claims", feed_id="FEED-3", first="2031-02-20", last="2031-03-20", state="open"
)


@pytest.mark.parametrize(
    ("body", "amount"),
    [
        (ledger_notice("1,234.50"), 1234.5),
        (ledger_notice("1,234.50", "lacks"), -1234.5),
        (COUNT_NOTICE, 0.0),
        ("", 0.0),
        ("The ledger holds nothing for Orders.", 0.0),
    ],
    ids=["holds", "lacks", "rows that count", "no notice", "no amount"],
)
def test_a_ledger_item_is_what_the_ledger_holds_on_top(body: str, amount: float) -> None:
    assert agents._ledger_item(body) == amount


@given(st.integers(1, 10**10), st.sampled_from(["holds", "lacks"]))
def test_an_amount_is_read_as_a_notice_prints_it(cents: int, verb: str) -> None:
    amount = agents._ledger_item(ledger_notice(f"{cents / 100:,.2f}", verb))

    assert amount == (cents if verb == "holds" else -cents) / 100


def test_a_metric_is_found_by_its_name_or_not_at_all() -> None:
    metrics = [{"id": "MET-1", "name": "feed_total_average"}, {"id": "MET-2", "name": "feed_total"}]

    assert agents._named(metrics, "feed_total") == "MET-2"
    assert agents._named(metrics, "control_total") is None
