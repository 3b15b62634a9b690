"""Chaos: presets, profiles, digests, and call failures that end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.chaos import Chaos, ChaosRefused, FaultName, parse_chaos
from companyos.draws import Draws


def test_a_level_its_name_and_its_profile_are_the_same_chaos():
    papercuts = parse_chaos(1)

    assert parse_chaos("papercuts") == papercuts
    assert parse_chaos({"preset": "papercuts"}).digest == papercuts.digest
    assert parse_chaos({"preset": 1, "rejection": {"p": 0.2, "B": 2}}).digest == papercuts.digest


def test_other_faults_have_another_digest():
    digests = {parse_chaos(value).digest for value in (0, 1, {"rejection": {"p": 1.0}}, {"stale": {"p": 1}})}

    assert len(digests) == 4


def test_a_profile_is_calm_but_for_the_faults_it_names():
    chaos = parse_chaos({"absence": {"p": 1.0}})

    assert (chaos.level, chaos.name) == (0, "custom")
    assert chaos.fault(FaultName.ABSENCE) is not None
    assert chaos.fault(FaultName.REJECTION) is None


def test_a_profile_is_plain_json():
    assert all(type(name) is str for name in parse_chaos(1).profile)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (2, "not available yet"),
        ("storm", "not available yet"),
        (6, "no chaos level 6"),
        (-1, "no chaos level -1"),
        ("mild", "no chaos preset 'mild'"),
        (True, "chaos is a level"),
        (1.0, "chaos is a level"),
        (None, "chaos is a level"),
        ({"rain": {"p": 1}}, "no fault 'rain'"),
        ({"absence": 1}, "a chance p"),
        ({"absence": {}}, "a chance p"),
        ({"absence": {"p": 1, "B": 2}}, "no parameter 'B'"),
        ({"absence": {"p": 1.5}}, "from 0 to 1"),
        ({"absence": {"p": float("nan")}}, "from 0 to 1"),
        ({"absence": {"p": "1"}}, "from 0 to 1"),
        ({"rejection": {"p": 1, "B": 3}}, "from 0 to 2"),
        ({"rejection": {"p": 1, "B": True}}, "from 0 to 2"),
        ({"call_failure": {"p": 1, "B": 1.5}}, "from 0 to 3"),
        ({"preset": "storm"}, "not available yet"),
    ],
)
def test_chaos_that_is_not_to_be_had_is_refused_with_what_is(value, told):
    with pytest.raises(ChaosRefused, match=told):
        parse_chaos(value)


def fails(chaos: Chaos, object_id: str, attempt: int, incidents: int = 0) -> bool:
    return chaos.fails(Draws("s", 1), "datahub", "get_job", object_id, attempt, incidents=incidents)


@given(object_id=st.text(max_size=10), p=st.floats(0, 1), burst=st.integers(0, 3), later=st.integers(0, 5))
def test_an_operation_fails_less_often_in_a_row_than_its_bound(object_id, p, burst, later):
    chaos = parse_chaos({"call_failure": {"p": p, "B": burst, "F": 9}})

    assert not fails(chaos, object_id, burst + later)


def test_failures_of_an_operation_come_first_and_then_end():
    chaos = parse_chaos({"call_failure": {"p": 1, "B": 3, "F": 9}})

    bursts = {tuple(fails(chaos, f"JOB-{number}", attempt) for attempt in range(4)) for number in range(60)}

    assert bursts == {
        (True, False, False, False),
        (True, True, False, False),
        (True, True, True, False),
    }


def test_an_episode_has_no_more_incidents_than_its_bound():
    chaos = parse_chaos({"call_failure": {"p": 1, "B": 1, "F": 2}})

    assert fails(chaos, "JOB-1", 0, incidents=1)
    assert not fails(chaos, "JOB-1", 0, incidents=2)


def test_about_one_operation_in_twenty_fails_at_level_one():
    failed = sum(fails(parse_chaos(1), f"JOB-{number}", 0) for number in range(4000))

    assert 150 < failed < 250


def test_calm_is_without_faults():
    assert not any(fails(parse_chaos(0), f"JOB-{number}", 0) for number in range(100))
