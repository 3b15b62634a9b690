"""Draws: keyed, uniform enough, and the same everywhere."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.draws import Draws

names = st.text(max_size=20)


def test_a_draw_is_the_same_in_every_process_and_version():
    draws = Draws("companyos-public", "vendor_onboarding", 1, 7, "calm")

    assert draws.unit("score", 3) == 0.7755465167641642
    assert draws.integer("score", 60, 99, 3) == 91
    assert draws.shuffled("order", "abcdef") == ["e", "f", "b", "c", "d", "a"]


def test_a_draw_does_not_depend_on_the_hash_seed():
    program = "from companyos.sdk.draws import Draws; print(Draws('s', 'a', 1).unit('x', 'y', 2))"

    shown = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "random")
    }

    assert shown == {f"{Draws('s', 'a', 1).unit('x', 'y', 2)}\n"}


def test_the_order_of_draws_does_not_matter():
    forwards, backwards = Draws("s", 1), Draws("s", 1)

    first = [forwards.unit("n", number) for number in range(50)]
    second = [backwards.unit("n", number) for number in reversed(range(50))]

    assert first == second[::-1]


def test_draws_about_an_object_are_those_whose_coordinates_begin_with_it():
    draws = Draws("s", "e")

    about = draws.about("a", 1)

    assert about.unit("n", 2) == draws.unit("n", "a", 1, 2)
    assert about.about("b").shuffled("n", "xyz", 3) == draws.shuffled("n", "xyz", "a", 1, "b", 3)
    assert about.under("n").unit("m") == draws.unit("n", "m", "a", 1)


@given(name=names, coordinates=st.lists(names | st.integers(), max_size=4))
def test_a_unit_lies_from_zero_to_one(name, coordinates):
    assert 0 <= Draws("s", "e").unit(name, *coordinates) < 1


@given(low=st.integers(-1000, 1000), width=st.integers(0, 1000), at=st.integers())
def test_an_integer_keeps_to_its_bounds(low, width, at):
    assert low <= Draws("s", "e").integer("n", low, low + width, at) <= low + width


@given(options=st.lists(st.integers(), max_size=30), at=st.integers())
def test_shuffling_keeps_every_option(options, at):
    assert sorted(Draws("s").shuffled("n", options, at)) == sorted(options)


def test_an_integer_takes_every_value_about_equally_often():
    draws = Draws("s", "uniform")

    counts = [0] * 10
    for at in range(10_000):
        counts[draws.integer("n", 0, 9, at)] += 1

    assert all(900 < count < 1100 for count in counts)


def test_a_chance_of_zero_never_comes_and_one_always():
    draws = Draws("s")

    assert not any(draws.chance("n", 0.0, at) for at in range(200))
    assert all(draws.chance("n", 1.0, at) for at in range(200))


def test_fields_are_told_apart_by_their_lengths():
    draws = Draws("s")

    assert draws.unit("n", "ab", "c") != draws.unit("n", "a", "bc")
    assert Draws("s", "ab", "c").unit("n") != Draws("s", "a", "bc").unit("n")


@given(name=names, coordinates=st.lists(names | st.integers(), max_size=3), first=names)
def test_draws_under_a_name_are_those_that_begin_with_it(name, first, coordinates):
    draws = Draws("s", "e")

    assert draws.under(name).unit(first, *coordinates) == draws.unit(name, first, *coordinates)


def test_another_salt_gives_other_draws():
    assert Draws("public", 1).unit("n") != Draws("private", 1).unit("n")


def test_a_sample_has_no_option_twice():
    sampled = Draws("s").sample("n", range(100), 20)

    assert len(set(sampled)) == 20


def test_a_salt_that_blake2_cannot_take_is_refused():
    with pytest.raises(ValueError, match="64 bytes"):
        Draws("x" * 65)


def test_the_key_of_draws_gives_the_same_draws_again() -> None:
    draws = Draws("salt", "scenario", 1, 7)

    again = Draws.from_key(draws.key)

    assert again.key == draws.key
    assert [again.unit("x", n) for n in range(9)] == [draws.unit("x", n) for n in range(9)]
