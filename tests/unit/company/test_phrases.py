"""What people write in tickets varies, says only what is known, and is the same wherever it is drawn."""

from hypothesis import given
from hypothesis import strategies as st

from companyos.company import Phrases
from companyos.sdk.draws import Draws

PHRASES = Phrases(
    openings=("{name} is wanted.", "Please get {name}."),
    details=("It was {value}.", "{team} asks.", "It is blue.", "It is late."),
    closings=("Thanks!", "No hurry."),
)
FACTS = {"name": "A lamp", "team": "Sales", "value": "3 pieces"}
IDS = st.from_regex(r"TD-[1-9][0-9]{3}", fullmatch=True)


@given(IDS)
def test_a_description_is_that_of_its_ticket(ticket_id: str) -> None:
    first, again = (PHRASES.describe(Draws("salt", "a"), ticket_id, FACTS) for _ in range(2))

    assert first == again
    assert "A lamp" in first


@given(IDS)
def test_description_omits_facts_the_ticket_does_not_know(ticket_id: str) -> None:
    said = PHRASES.describe(Draws("salt", "a"), ticket_id, {"name": "A lamp", "team": "Sales"})

    assert "It was" not in said
    assert "{" not in said


def test_tickets_differ_in_words_and_in_length() -> None:
    said = {PHRASES.describe(Draws("salt", "a"), f"TD-{number}", FACTS) for number in range(1000, 1100)}

    assert len(said) > 40
    assert max(map(len, said)) > 2 * min(map(len, said))
