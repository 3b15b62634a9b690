"""The query language for tickets."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ticketdesk.queues.domain import FIELDS, MOST_TEXTS, Malformed, parsed


def test_terms_and_text_are_told_apart():
    query = parsed('status:New queue:billing "card declined" TD-10')

    assert query.equals == {"status": "new", "queue": "billing"}
    assert query.texts == ["card declined", "TD-10"]


def test_ids_are_listed_with_commas():
    assert parsed("id:TD-1,TD-2 id:TD-3").ids == ["TD-1", "TD-2", "TD-3"]


def test_a_value_can_be_quoted():
    assert parsed('reporter:"ana.lopez"').equals == {"reporter": "ana.lopez"}


@pytest.mark.parametrize(
    "text", ['""', "status:", ":new", "status:late", "nothing:x", 'a"b', '"a"b', "priority:low priority:high"]
)
def test_malformed_queries_are_refused(text):
    with pytest.raises(Malformed):
        parsed(text)


def test_a_malformed_field_names_those_there_are():
    with pytest.raises(Malformed) as raised:
        parsed("color:red")

    assert raised.value.allowed == tuple(FIELDS)


@given(st.lists(st.from_regex(r"[a-z0-9-]{1,8}", fullmatch=True), max_size=MOST_TEXTS))
def test_words_are_texts_in_their_order(words):
    assert parsed(" ".join(words)).texts == words


@given(st.text(max_size=60))
def test_any_text_is_a_query_or_malformed(text):
    with suppress(Malformed):
        assert len(parsed(text).texts) <= MOST_TEXTS
