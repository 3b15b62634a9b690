"""Baselines: what plays add up to, and when a scenario is certified."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.evaluation.baselines import (
    OMITTING,
    Play,
    Player,
    certification_report,
    interval,
    table,
)
from companyos.evaluation.cards import CARD_BEGIN, CARD_END, card_with, faults_of, success_on


def play(player: Player, seed: int = 0, *, success: bool = False, **changes) -> Play:
    facts = {
        "scenario": "vendor_onboarding",
        "level": 0,
        "seed": seed,
        "player": player,
        "success": success,
        "episode_return": 23.4 if success else -2.0,
        "steps": 10,
        "invalid": False,
        "trace_hash": f"{player}-{seed}",
    }
    return Play(**{**facts, **changes})


#: What is known of the tasks that are played: the oracle needs one step more than the fewest at the first.
FEWEST = {("vendor_onboarding", 0, 0): 9, ("vendor_onboarding", 0, 1): 10}


def report_of(*plays: Play, again: tuple[Play, ...] = ()):
    return certification_report(plays, again, {"vendor_onboarding": 3}, fewest=FEWEST)


COSTLY = (Player.BELIEVES_CLAIMS, Player.READS_ONE_EDITION)
SOUND = (
    play(Player.ORACLE, 0, success=True),
    play(Player.ORACLE, 1, success=True),
    play(Player.DO_NOTHING, 0),
    play(Player.RANDOM_POOL, 0),
    play(Player.OPEN_LOOP_OWN, 0, success=True),
    play(Player.OPEN_LOOP_OTHER, 1),
    play(Player.OPEN_LOOP_OWN, 1, success=True),
    play(Player.OPEN_LOOP_OTHER, 0),
    play(Player.RANDOM_SCHEMA, 0),
    *(play(player, 0, success=player not in COSTLY) for player in OMITTING),
)


def test_a_sound_scenario_is_certified():
    report = report_of(*SOUND, again=SOUND[:2])

    cell = report["scenarios"]["vendor_onboarding"]["levels"]["0"]
    assert report["certified"]
    assert report["scenarios"]["vendor_onboarding"]["version"] == 3
    assert cell["agents"]["oracle"]["success"] == 1.0
    assert cell["agents"]["oracle"]["mean_return"] == 23.4
    assert cell["pairs"] == {"played": 2, "solved_by_one_plan": 0}


@pytest.mark.parametrize("left_out", Player)
def test_without_one_of_the_agents_nothing_is_certified_and_what_was_not_tried_is_told(left_out):
    plays = [one for one in SOUND if one.player is not left_out]

    report = report_of(*plays)

    assert report["faults"] == []
    assert not report["certified"]
    assert report["untried"][0].startswith(f"{left_out} did not play, which proves that ")
    assert "certifies nothing" in table(report)


def test_half_a_pair_certifies_nothing():
    halves = [one for one in SOUND if (one.player, one.seed) != (Player.OPEN_LOOP_OTHER, 0)]
    [untried] = report_of(
        *[one for one in halves if (one.player, one.seed) != (Player.OPEN_LOOP_OTHER, 1)],
        play(Player.OPEN_LOOP_OTHER, 4),
    )["untried"]

    assert untried.startswith("no whole pair was played")


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (play(Player.ORACLE, 7, stuck="job_unknown"), "the oracle failed at seed 7 (job_unknown)"),
        (play(Player.RANDOM_POOL, 7, invalid=True), "1 episodes were invalid"),
        (
            play(Player.LOOKS_ONCE, 7, stuck="KeyError: 'no_such' (scenario.py:183)", crashed=True),
            "chaos 0: the looks_once agent crashed: KeyError: 'no_such' (scenario.py:183) in 1 of 2 episodes",
        ),
    ],
)
def test_a_fault_is_told_and_nothing_is_certified(fault, told):
    report = report_of(*SOUND, fault)

    assert not report["certified"]
    [said] = report["faults"]
    assert told in said


def test_the_plan_of_the_other_instance_may_be_saved_by_a_fault_but_never_solve_both():
    above = [play(one.player, one.seed, success=one.success, level=2) for one in SOUND]
    fails = play(Player.OPEN_LOOP_OWN, 3, success=False, level=2)
    saved = play(Player.OPEN_LOOP_OTHER, 2, success=True, level=2)
    solves = play(Player.OPEN_LOOP_OWN, 3, success=True, level=2)

    assert report_of(*above, fails, saved)["faults"] == []
    assert report_of(*above, solves, saved)["faults"] == [
        "vendor_onboarding, chaos 2: an open-loop plan solved both instances of a pair"
    ]


@pytest.mark.parametrize("player", OMITTING)
def test_an_agent_that_gives_up_on_purpose_is_no_fault(player):
    assert report_of(*SOUND, play(player, 7, stuck="Refused: desk_close: not_allowed"))["faults"] == []


def test_the_table_has_a_line_per_agent_and_the_verdict():
    sound, faulty = table(report_of(*SOUND)), table(report_of(play(Player.ORACLE, 7)))

    assert sound.endswith("\ncertified: vendor_onboarding at chaos 0")
    assert "vendor_onboarding  0      oracle               2         100.0%   34.2%-100.0%  95.0%" in sound
    assert "NOT certified:\nvendor_onboarding, chaos 0: the oracle failed at seed 7" in faulty


def test_a_card_gets_its_baselines_and_keeps_the_rest():
    scenario = report_of(*SOUND)["scenarios"]["vendor_onboarding"]
    card = f"# Card\n\n{CARD_BEGIN}\nold\n{CARD_END}\n\n## Version history\n"

    written = card_with(card, scenario)

    assert written.startswith("# Card\n")
    assert written.endswith("\n\n## Version history\n")
    assert "old" not in written
    assert "| 0 | oracle | 2 | 100.0% | 34.2%-100.0% | 95.0% | +23.40 | 10.0 |" in written
    assert "Open-loop plans played on both instances of their pair: 2; solved both: 0." in written
    assert card_with(written, scenario) == written


def test_a_card_tells_what_each_omission_costs():
    levels = report_of(*SOUND)["scenarios"]["vendor_onboarding"]
    others = ", ".join(f"`{name}`" for name in OMITTING if name not in COSTLY)

    written = card_with(f"# Card\n\n{CARD_BEGIN}\n{CARD_END}\n", levels)

    assert "| the oracle, but it | chaos 0 |\n|---|---|\n| `believes_claims`: takes " in written
    assert " | 0% of 1, SPL 0% |" in written
    assert " | 100% of 1, SPL 90% |" in written
    assert f"\nCosts nothing here: {others}.\n" in written
    assert "| 0 | believes_claims |" not in written


def test_the_success_on_a_card_is_that_of_the_report_it_was_written_from():
    scenario = report_of(*SOUND)["scenarios"]["vendor_onboarding"]
    measured = {
        (player, int(level)): (metrics["success"], metrics["spl"])
        for level, cell in scenario["levels"].items()
        for player, metrics in cell["agents"].items()
    }

    card = card_with(f"# Card\n\n{CARD_BEGIN}\n{CARD_END}\n\nVersion 9, | 1 | random | 2 | 50% |\n", scenario)

    assert success_on(card) == (scenario["version"], measured)
    assert success_on("# Card\n") == (0, {})


def test_spl_of_tasks_whose_fewest_steps_are_unknown_is_left_open():
    scenario = certification_report(SOUND, (), {"vendor_onboarding": 3})["scenarios"]["vendor_onboarding"]

    card = card_with(f"# Card\n\n{CARD_BEGIN}\n{CARD_END}\n", scenario)

    assert "| 0 | oracle | 2 | 100.0% | 34.2%-100.0% | - | +23.40 | 10.0 |" in card
    assert "| 0 | do_nothing | 1 | 0.0% | 0.0%-79.3% | 0.0% |" in card
    assert " | 100% of 1 |" in card
    assert success_on(card)[1]["oracle", 0] == (1.0, None)


def test_success_on_a_card_that_shows_no_spl_is_read_too():
    table = "Version 3, `seed` rewards.\n\n| 0 | oracle | 2 | 100.0% | 34.2%-100.0% | +23.40 | 10.0 |\n"

    assert success_on(f"{CARD_BEGIN}\n{table}{CARD_END}")[1] == {("oracle", 0): (1.0, None)}


def test_a_card_says_above_its_table_why_the_scenario_is_not_certified():
    report = report_of(*SOUND, play(Player.ORACLE, 7, stuck="job_unknown"))
    scenario, card = report["scenarios"]["vendor_onboarding"], f"# Card\n{CARD_BEGIN}\n{CARD_END}\n"

    written = card_with(card, scenario, faults_of(report, "vendor_onboarding"), ["that every fault happens"])

    assert (
        "\nNot certified:\n\n- chaos 0: the oracle failed at seed 7 (job_unknown)\n\n"
        "Not tried:\n\n- that every fault happens\n\nVersion 3, "
    ) in written
    assert "Not certified" not in card_with(written, scenario)


def test_a_card_does_not_call_uncertified_of_what_only_a_part_was_tried():
    scenario = report_of(*SOUND)["scenarios"]["vendor_onboarding"]

    written = card_with(f"# Card\n{CARD_BEGIN}\n{CARD_END}\n", scenario, [], ["that every fault happens"])

    assert "\nAll gates that were tried on these seeds hold. Not tried:\n\n- that every" in written
    assert "Not certified" not in written


def test_faults_of_a_scenario_are_its_own_and_those_of_all():
    report = {
        "scenarios": {"one": {}, "two": {}},
        "faults": ["two, chaos 1: the oracle failed at seed 3", "evt.drop landed 0 times"],
    }

    assert faults_of(report, "one") == ["evt.drop landed 0 times"]
    assert faults_of(report, "two") == ["chaos 1: the oracle failed at seed 3", "evt.drop landed 0 times"]


def test_a_card_without_a_place_for_baselines_is_refused():
    with pytest.raises(ValueError, match="has no lines"):
        card_with("# Card\n", {})


@given(episodes=st.integers(1, 5000), share=st.floats(0, 1))
def test_an_interval_holds_the_rate_it_is_about(episodes, share):
    successes = round(episodes * share)

    low, high = interval(successes, episodes)

    assert 0 <= low <= successes / episodes + 1e-9
    assert successes / episodes - 1e-9 <= high <= 1
