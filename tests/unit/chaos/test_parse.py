"""Reading chaos settings: one meaning has one digest, and what is not to be had is refused with the reason."""

import json
import random
from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.chaos import ALIASES, CATALOG, NAMES, Chaos, ChaosRefused, Layer, cost_bound, parse_chaos

from .profiles import profiles


@given(profiles())
def test_reading_what_was_read_gives_the_same_again(profile: dict[str, Any]):
    chaos = parse_chaos(profile)

    again = parse_chaos(chaos.profile)

    assert (again.profile, again.digest) == (chaos.profile, chaos.digest)
    assert json.loads(json.dumps(chaos.profile)) == chaos.profile


@given(profiles(), st.randoms(use_true_random=False))
def test_a_digest_does_not_depend_on_the_order_of_keys(profile: dict[str, Any], order: random.Random):
    assert parse_chaos(_shuffled(profile, order)).digest == parse_chaos(profile).digest


@given(profiles(), profiles())
def test_profiles_that_mean_something_else_have_another_digest(one: dict[str, Any], other: dict[str, Any]):
    first, second = parse_chaos(one), parse_chaos(other)

    assert (first.digest == second.digest) == (first.profile == second.profile)


@pytest.mark.parametrize("level", range(len(NAMES)))
def test_a_level_its_name_and_its_profile_are_the_same_chaos(level: int):
    by_level, name = parse_chaos(level), NAMES[level]

    assert parse_chaos(name) == by_level == parse_chaos({"preset": name}) == parse_chaos({"preset": level})
    assert (by_level.level, by_level.name) == (level, name)
    assert parse_chaos(by_level.profile).digest == by_level.digest


@pytest.mark.parametrize(("alias", "layer"), ALIASES.items())
def test_an_alias_is_one_layer_of_its_level(alias: str, layer: Layer):
    chaos = parse_chaos(alias)

    assert {CATALOG[fault].layer for fault in chaos.settings} == {layer}
    assert parse_chaos({"preset": chaos.level, "only": [layer]}).digest == chaos.digest
    others = [other for other in Layer if other is not layer]
    assert parse_chaos({"preset": chaos.level, "except": others}).digest == chaos.digest


def test_impossible_faults_do_not_change_a_profile():
    assert parse_chaos({"faults": {"svc.http_5xx": {"p": 0}}}).digest == parse_chaos(0).digest
    assert parse_chaos({"preset": "storm", "only": []}).digest == parse_chaos("calm").digest


def test_a_profile_says_every_default():
    chaos = parse_chaos({"faults": {"svc.slow_close": {"p": 1}}})

    assert chaos.profile["faults"] == {
        "svc.slow_close": {"p": 1.0, "B": 1, "F": 1, "match": {}, "params": {"after_s": 120}}
    }
    assert chaos.name == "custom"


def test_a_fault_given_takes_the_place_of_the_presets():
    chaos = parse_chaos({"preset": "bad-day", "faults": {"svc.lost_ack": {"p": 1}}, "limits": {"service": 1}})

    assert chaos.fault("svc.lost_ack").p == 1
    assert (chaos.limits.service, chaos.limits.event) == (1, parse_chaos("bad-day").limits.event)
    assert chaos.level == 3


@given(profiles())
def test_accepted_profiles_never_cost_more_than_an_episode_allows(profile: dict[str, Any]):
    assert 0 <= cost_bound(parse_chaos(profile)) <= 150


def fault(name: str = "svc.http_5xx", **setting: Any) -> dict[str, Any]:
    return {"faults": {name: {"p": 0.5, **setting}}}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("3", 3),
        (3.0, 3),
        ({"preset": "3"}, {"preset": 3}),
        ({"preset": 2.0}, {"preset": 2}),
        (fault(p="0.25", B="2", F=2.0), fault(p=0.25, B=2, F=2)),
        (fault(params={"status": ["503", 500.0]}), fault(params={"status": [503, 500]})),
        (fault("svc.latency", params={"base_s": 60.0}), fault("svc.latency", params={"base_s": 60})),
        (fault(match={"steps": [3.0, "8"]}), fault(match={"steps": [3, 8]})),
        ({"preset": 3, "limits": {"service": "1"}}, {"preset": 3, "limits": {"service": 1}}),
        ({"preset": 3, "limits": {"business": [1.0, "2"]}}, {"preset": 3, "limits": {"business": [1, 2]}}),
    ],
)
def test_a_number_of_a_profile_may_be_written_as_a_whole_float_or_as_text(written: Any, meant: Any):
    assert parse_chaos(written).digest == parse_chaos(meant).digest


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (6, "no chaos level 6"),
        (-1, "no chaos level -1"),
        (10**30, "no chaos level"),
        ("mild", "no chaos preset 'mild'"),
        ("6", "no chaos level 6"),
        ("", "no chaos preset ''"),
        (True, "chaos is a level"),
        (False, "chaos is a level"),
        (1.5, "chaos is a level"),
        (None, "chaos is a level"),
        ([3], "chaos is a level"),
        ({"level": 3}, "has no 'level'"),
        ({"preset": 6}, "no chaos level 6"),
        ({"preset": True}, "chaos is a level"),
        ({"preset": None}, "chaos is a level"),
        ({"preset": []}, "chaos is a level"),
        ({"preset": {}}, "chaos is a level"),
        ({"preset": 2.5}, "chaos is a level"),
        ({"only": ["service"], "except": ["event"]}, "not both"),
        ({"only": ["services"]}, "lists of layers"),
        ({"only": "service"}, "lists of layers"),
        ({"only": [["service"]]}, "lists of layers"),
        ({"except": {}}, "lists of layers"),
        ({"faults": []}, "faults has to be a JSON object, not \\[\\]"),
        ({"faults": {"svc.rain": {"p": 1}}}, "no fault 'svc.rain'"),
        ({"faults": {"": {"p": 1}}}, "no fault ''"),
        ({"faults": {"svc.http_5xx": 1}}, "has to be a JSON object, not 1"),
        ({"faults": {"svc.http_5xx": {}}}, "needs a chance p"),
        (fault(q=1), "has no 'q'"),
        (fault(p=1.01), "from 0 to 1"),
        (fault(p=-0.1), "from 0 to 1"),
        (fault(p=nan), "from 0 to 1"),
        (fault(p=float("inf")), "from 0 to 1"),
        (fault(p=True), "from 0 to 1"),
        (fault(p="1.1"), "from 0 to 1"),
        (fault(p=None), "from 0 to 1"),
        (fault(B=0), "from 1 to 3"),
        (fault(B=4), "from 1 to 3"),
        (fault(B=1.5), "from 1 to 3"),
        (fault(B=True), "from 1 to 3"),
        (fault(F=0), "from 1 to 20"),
        (fault(F=21), "from 1 to 20"),
        (fault("svc.lost_ack", B=2), "from 1 to 1"),
        (fault(params={"stati": []}), "has no 'stati'"),
        (fault(params={"status": 503}), "list of some of"),
        (fault(params={"status": []}), "list of some of"),
        (fault(params={"status": ["418"]}), "list of some of"),
        (fault("svc.latency", params={"base_s": 0}), "from 1 to 600"),
        (fault("svc.latency", params={"base_s": 60.5}), "from 1 to 600"),
        (fault("svc.latency", params={"distribution": "normal"}), "one of fixed"),
        (fault("biz.ooo_approver", params={"cycle": 1}), "one of False"),
        (fault("biz.ooo_approver", params={"depth": 4}), "from 1 to 3"),
        (fault("biz.ooo_approver", match={"object": "x"}), "has no `match`"),
        (fault(match={"event": "x"}), "has no 'event'"),
        (fault("evt.delay", match={"service": "x"}), "has no 'service'"),
        (fault(match={"operation": 3}), "a name or a list of names"),
        (fault(match={"operation": []}), "a name or a list of names"),
        (fault(match={"operation": ["a", None]}), "a name or a list of names"),
        (fault(match={"operation": "x" * 201}), "a name or a list of names"),
        (fault(match={"operation": "\x00"}), "a name or a list of names"),
        (fault(match={"operation": ["x"] * 51}), "a name or a list of names"),
        (fault(match={"steps": [3]}), "a first and a last step"),
        (fault(match={"steps": [0, 3]}), "a first and a last step"),
        (fault(match={"steps": [5, 3]}), "a first and a last step"),
        (fault(match={"steps": [True, 3]}), "a first and a last step"),
        ({"limits": {"business": 3}}, "like"),
        ({"limits": {"business": [4, 3]}}, "like"),
        ({"limits": {"business": [0, 16]}}, "like"),
        ({"limits": {"business": [True, 2]}}, "like"),
        ({"limits": {"service": 21}}, "from 0 to 20"),
        ({"limits": {"stack": 0}}, "from 1 to 3"),
        ({"limits": {"cooldown": -1}}, "from 0 to 20"),
        ({"limits": {"steps": 1}}, "has no 'steps'"),
    ],
)
def test_chaos_that_is_not_to_be_had_is_refused_with_what_is(value: Any, told: str):
    with pytest.raises(ChaosRefused, match=told):
        parse_chaos(value)


def test_budgets_that_no_episode_has_room_for_are_refused():
    dear = {
        name: {"p": 1, "B": 3, "F": 20} for name in ("svc.http_429", "svc.timeout_before", "svc.slow_close")
    }

    with pytest.raises(ChaosRefused, match="lower B, F or limits"):
        parse_chaos({"preset": "storm", "faults": dear, "limits": {"service": 20, "event": 20}})


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=2),
    )
)
def test_fault_settings_of_another_type_are_refused(value: Any):
    with pytest.raises(ChaosRefused):
        parse_chaos({"faults": {"svc.http_5xx": value}})


def test_equal_profiles_are_one_chaos_whatever_they_are_called():
    profile = parse_chaos("office").profile

    assert Chaos(1, "mine", profile).digest == parse_chaos(2).digest


def _shuffled(value: Any, order: random.Random) -> Any:
    if not isinstance(value, dict):
        return value
    items = [(key, _shuffled(inner, order)) for key, inner in value.items()]
    order.shuffle(items)
    return dict(items)
