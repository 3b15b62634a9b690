"""The signed context: what one key signs, only that key reads, unchanged."""

import base64

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.chassis.errors import ContextRefused
from companyos.chassis.world.context import Context, read, sign, signature

KEY, OTHER_KEY = "one-key-of-ours", "another-key-of-ours"
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
layers = st.lists(st.integers(1, 2**62), min_size=1, max_size=8, unique=True).map(sorted)
contexts = st.builds(
    Context,
    world=st.integers(1, 2**62),
    chain=st.tuples(st.integers(-(2**62), -1), layers).map(lambda parts: (parts[0], *parts[1])),
    now=st.integers(0, 2**40),
    actor=text,
    role=text,
    cause=text,
    key=text,
    acks=st.none() | text,
)


@given(contexts)
def test_signed_context_reads_back_equal(context: Context) -> None:
    assert read(sign(context, KEY), KEY) == context


@given(contexts)
def test_another_key_reads_nothing(context: Context) -> None:
    with pytest.raises(ContextRefused):
        read(sign(context, OTHER_KEY), KEY)


@given(contexts, st.data())
def test_a_token_with_any_character_changed_is_refused(context: Context, data: st.DataObject) -> None:
    token = sign(context, KEY)
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("abcXYZ019-_=.").filter(lambda character: character != token[place]))

    with pytest.raises(ContextRefused):
        read(token[:place] + other + token[place + 1 :], KEY)


@pytest.mark.parametrize(
    "chain", [[], [1], [-1], [1, 2], [-1, -2], [-1, 3, 2], [-1, 2, 2], [-1, "2"], [-1, 2.0], [-1, True]]
)
def test_a_chain_that_is_no_chain_is_refused(chain: list[object]) -> None:
    fields = {
        "world": 1,
        "chain": chain,
        "now": 0,
        "actor": "a",
        "role": "r",
        "cause": "s1",
        "key": "s1",
        "acks": None,
    }
    body = base64.urlsafe_b64encode(orjson.dumps(fields)).decode()

    with pytest.raises(ContextRefused):
        read(f"{body}.{signature(body.encode(), KEY)}", KEY)


@pytest.mark.parametrize("token", ["", ".", "x.y", "é.ü", "e30=." + signature(b"e30=", KEY)])
def test_malformed_token_is_refused(token: str) -> None:
    with pytest.raises(ContextRefused):
        read(token, KEY)


def test_a_reaction_keeps_world_and_time_and_has_its_event_as_cause() -> None:
    context = Context(7, (-1, 2), 3600, "kim", "analyst", "s5", "s5", "acks:1")

    reaction = context.caused_by("s5.ticketdesk.1")

    assert (reaction.world, reaction.chain, reaction.now, reaction.acks) == (7, (-1, 2), 3600, "acks:1")
    assert reaction.cause == reaction.key == "s5.ticketdesk.1"
