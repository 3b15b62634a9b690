"""The distance of two tool sequences is that of Levenshtein, over the length of the longer one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scenarios.acceptance.shapes import apart, distance, mean_distance

SEQUENCES = st.lists(st.sampled_from("abcd"), max_size=8)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("abc", "abc", 0), ("abc", "abd", 1 / 3), ("abc", "", 1), ("", "", 0), ("kitten", "sitting", 3 / 7)],
)
def test_known_distances(first: str, second: str, expected: float) -> None:
    assert distance(first, second) == pytest.approx(expected)


@given(SEQUENCES, SEQUENCES)
def test_it_is_a_symmetric_number_from_0_to_1_and_0_for_equals_alone(
    first: list[str], second: list[str]
) -> None:
    found = distance(first, second)

    assert found == distance(second, first)
    assert 0 <= found <= 1
    assert (found == 0) == (first == second)


@given(st.text("ab", min_size=1, max_size=6), st.text("cd", min_size=1, max_size=6))
def test_sequences_without_a_common_tool_are_as_far_apart_as_can_be(first: str, second: str) -> None:
    assert distance(first, second) == 1


def test_families_are_compared_by_the_mean_of_all_their_sequences() -> None:
    families = {"one": ["ab", "ac"], "other": ["ab"], "third": ["xy"]}

    assert mean_distance(families["one"], families["other"]) == 0.25
    assert apart(families) == {("one", "other"): 0.25, ("one", "third"): 1.0, ("other", "third"): 1.0}
