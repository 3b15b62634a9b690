"""The search for attacks finds the holes there are, and none where there is none."""

from dataclasses import replace

import pytest

from companyos.evaluation.attacks import (
    Effort,
    as_table,
    attacked,
    defects,
    search_attacks,
)
from companyos.evaluation.attacks.endings import EndedPlan
from companyos.evaluation.attacks.extra_acts import ExtraActSearch
from companyos.evaluation.attacks.logs import recorded
from companyos.evaluation.attacks.loops import LATEST, Loop, LoopDraws, repeated
from companyos.evaluation.attacks.plans import PlanSearch, ended
from companyos.evaluation.attacks.plausible import PlausibleCalls
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import call

from .toy_trainer import MOST_STEPS, Holes, ToyErrand, ToyTrainer

EFFORT = Effort(logs=4, looped=2, points=3, loops=16, starts=2, pairs=2, rounds=40, children=4)
VERIFY, UNVERIFY = (
    call("toy_verify_ticket", ticket_id="TD-1"),
    call("toy_unverify_ticket", ticket_id="TD-1"),
)


async def searched(holes=Holes(), scenario=None, effort=EFFORT):
    return attacked(await search_attacks(ToyTrainer(holes), scenario or ToyErrand(), effort))


async def branch_of(holes=Holes()):
    branch, _ = await ToyTrainer(holes).reset("toy_errand", 0)
    return branch


class Leaving(ToyErrand):
    """The errand with an oracle that raises `end` after so many calls, or where one is refused."""

    def __init__(self, end, calls=None):
        super().__init__()
        self._end, self._calls = end, calls

    def oracle(self, observation):
        if self._calls == 0:
            raise self._end
        return self._script(observation)

    def _script(self, observation):
        sound, made, shown = super().oracle(observation), 0, None
        while made != self._calls and not (shown and shown["error"]):
            shown, made = (yield sound.send(shown)), made + 1
        raise self._end


ENDS = (SystemExit, GeneratorExit, AttributeError)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("calls", [0, 1])
async def test_an_oracle_that_ends_whatever_way_has_a_log_up_to_there(end, calls):
    trainer = ToyTrainer()

    log = await recorded(trainer, Leaving(end, calls), 0)

    assert (len(log.actions), log.success, trainer.open) == (calls, False, 0)


@pytest.mark.parametrize("end", ENDS)
async def test_extra_acts_that_make_an_oracle_end_whatever_way_do_not_end_the_search(end):
    trainer, scenario = ToyTrainer(), Leaving(end)
    log = await recorded(trainer, scenario, 0)

    found = await ExtraActSearch(trainer, scenario, log, Draws("t")).play(24, 4)

    assert log.success
    assert (len(found.acts), len(found.variants), trainer.open) == (24, 4, 0)
    assert {play.success for play in found.acts} == {True, False}


async def test_where_the_reward_is_sound_no_attack_pays():
    report = await searched()

    assert defects({"toy_errand": report}) == []
    assert report["loops"]["best_gain"] <= -0.1
    assert report["plans"]["mean_return"] < report["oracle"]["mean_return"] == 15.6
    assert "no attack pays" in as_table({"toy_errand": report})


async def test_a_milestone_that_is_paid_again_and_again_is_found():
    report = await searched(Holes(keeps_milestones=True))

    loop = report["loops"]["positive"][0]
    names = {act["tool_name"] for act in loop["acts"]}
    assert {"toy_verify_ticket", "toy_unverify_ticket"} <= names
    assert sum(loop["gains"][3:]) > 0
    assert report["loops"]["best_gain"] > 0
    assert any("a loop keeps earning" in defect for defect in defects({"toy_errand": report}))


async def test_a_plan_that_needs_no_look_is_found():
    report = await searched(Holes(master_key="any door"), ToyErrand(extra=["any door"]))

    assert report["plans"]["solved_pairs"]
    assert report["plans"]["solved"] == report["plans"]["seeds"] == 4
    assert call("toy_choose_door", door="any door") in report["plans"]["acts"]
    assert report["plans"]["mean_return"] >= 14.8
    assert any("an open-loop plan solves the pairs" in defect for defect in defects({"toy_errand": report}))


async def test_a_success_in_spite_of_something_forbidden_is_found():
    report = await searched(
        Holes(master_key="any door", forgives=True), ToyErrand(extra=["any door"]), replace(EFFORT, rounds=20)
    )

    assert report["plans"]["false_successes"][0]["flaws"] == ["forbidden: peeked"]
    assert any("in spite of forbidden: peeked" in defect for defect in defects({"toy_errand": report}))


async def test_where_a_drill_is_sound_no_early_ending_pays():
    endings = (await searched(effort=replace(EFFORT, rounds=0, loops=0)))["endings"]

    assert endings["calls"] == 6
    assert endings["plans"][0] == 1 + 6 + 36 + 216
    assert endings["at_once"] == endings["least_failure"] == endings["best"][0] == 0.0
    assert endings["best"][1:] == [0.1] * 3
    assert endings["least_success"] > 0.6 > endings["most_failure"]
    assert (endings["beaten"], endings["uneven"]) == ([], [])


@pytest.mark.parametrize(
    ("holes", "told"),
    [
        (Holes(keeps_mistakes=True), "giving up at once earns 0.0, a failure without harm -"),
        (Holes(gift=0.3), "one failed ending earns more than another, at seed 0"),
        (Holes(gift=0.3), "giving up at once earns 0.3, a failure without harm 0.0"),
        (Holes(gift=2.0), "a failure earns 2.1, a success "),
    ],
)
async def test_a_drill_in_which_giving_up_pays_is_found(holes, told):
    report = await searched(holes, effort=replace(EFFORT, rounds=0, loops=0))

    assert any(told in defect for defect in defects({"toy_errand": report}))


def test_an_ending_that_beats_a_call_without_a_cost_is_found():
    shorter = EndedPlan(0, 0, failures=(0.1,))

    assert EndedPlan(0, 0, (VERIFY,), 0.0, failures=(0.0,), shorter=shorter).is_beaten
    assert not EndedPlan(0, 0, (VERIFY,), -0.02, failures=(0.08,), shorter=shorter).is_beaten
    assert not EndedPlan(0, 0, (VERIFY,), 0.0, harmed=True, failures=(0.0,), shorter=shorter).is_beaten
    assert not EndedPlan(0, 0, (VERIFY,), 0.0, failures=(0.1,), shorter=shorter).is_beaten


async def test_the_climb_finds_more_than_it_began_with():
    few, many = [await searched(effort=replace(EFFORT, rounds=rounds, loops=0)) for rounds in (0, 40)]

    assert many["plans"]["mean_return"] > few["plans"]["mean_return"]
    assert many["plans"]["scored"] > few["plans"]["scored"]
    assert many["loops"]["played"] == 0


async def test_every_plan_is_played_to_an_end_with_an_answer_or_until_the_steps_are_spent():
    logs = [await recorded(ToyTrainer(), ToyErrand(), 0)]
    search = PlanSearch(ToyTrainer(), "toy_errand", logs, [2, 3], Draws("t"))

    await search.start([(), (call("finish"),), (VERIFY, UNVERIFY)])

    returns = [score.mean_return for score in search.scored]
    assert returns == pytest.approx([-2.1, -2.5, -2.3])
    mute = PlanSearch(
        ToyTrainer(), "toy_errand", [replace(logs[0], actions=logs[0].acts)], [2, 3], Draws("t")
    )
    await mute.start([()])
    assert mute.best.mean_return == pytest.approx(-0.1 * MOST_STEPS - 0.3)


def test_a_plan_ends_with_its_first_ending():
    assert ended([VERIFY, call("finish"), UNVERIFY]) == (VERIFY, call("finish"))
    assert ended([VERIFY]) == (VERIFY,)


async def test_a_climb_also_goes_by_what_was_gained_before_the_end():
    report = await searched(effort=replace(EFFORT, rounds=20, loops=0))

    assert report["plans"]["mean_gained"] >= 0.9


async def test_the_same_search_finds_the_same():
    holes = Holes(keeps_milestones=True)

    assert await searched(holes) == await searched(holes)


async def test_a_search_leaves_no_episode_open_and_tells_of_every_piece_of_its_work():
    trainer, told = ToyTrainer(), []

    await search_attacks(trainer, ToyErrand(), EFFORT, tell=told.append)

    assert trainer.open == 0
    assert [one.finished for one in told] == list(range(1, EFFORT.planned + 1))
    assert {one.planned for one in told} == {EFFORT.planned}


async def test_a_loop_is_played_three_times_and_on_where_it_earns():
    loop = Loop(0, 0, (VERIFY, UNVERIFY))

    sound = await repeated(await branch_of(), loop)
    leaking = await repeated(await branch_of(Holes(keeps_milestones=True)), loop)

    assert sound.gains == (-0.2, -0.2, -0.2)
    assert leaking.gains == (0.8,) * 9
    assert (sound.is_positive, leaking.is_positive) == (False, True)
    assert (sound.gain, leaking.gain) == (-0.2, 0.8)


async def test_a_loop_ends_with_its_episode():
    result = await repeated(await branch_of(), Loop(0, 0, (call("finish", answer="done"),)))
    long = await repeated(await branch_of(), Loop(0, 0, (call("wait", seconds=60),) * (MOST_STEPS // 2 + 1)))

    assert (result.calls, result.gains, result.gain) == (1, (), None)
    assert (long.calls, len(long.gains)) == (MOST_STEPS, 1)


async def test_a_call_that_undoes_names_what_the_one_before_was_answered_with():
    branch = await branch_of()
    loop = Loop(0, 0, (VERIFY, call("toy_unverify_ticket", ticket_id=LATEST)))

    result = await repeated(branch, loop)

    assert result.refused == 0


@pytest.fixture
async def log():
    return await recorded(ToyTrainer(), ToyErrand(), 0)


async def test_loops_are_of_all_kinds_and_never_end_the_episode(log):
    loops = LoopDraws(Draws("t"), log, PlausibleCalls(Draws("t"), [log]))
    drawn = [loops.drawn(2, number) for number in range(120)]

    assert {len(loop.acts) for loop in drawn} >= {1, 2, 3, 6}
    assert not {act["tool_name"] for loop in drawn for act in loop.acts} & {"finish", "refuse"}
    assert drawn == [loops.drawn(2, number) for number in range(120)]
    assert drawn != [loops.drawn(1, number) for number in range(120)]


async def test_a_log_has_no_keys_that_would_make_a_repeated_call_one(log):
    assert log.success
    assert log.actions[1] == VERIFY
    assert [act["tool_name"] for act in log.acts] == [act["tool_name"] for act in log.actions[:-1]]


async def test_plausible_calls_give_what_was_seen_under_the_same_name(log):
    plausible = PlausibleCalls(Draws("t"), [log])
    drawn = [plausible.call_of("toy_choose_door", number)["arguments"]["door"] for number in range(40)]

    assert "door 0" in drawn
    assert plausible.call_of("toy_choose_door", 1, door="given")["arguments"] == {"door": "given"}
    assert plausible.another("toy_choose_door", "door", "door 0", 1) not in (None, "door 0")
    assert plausible.another("toy_choose_door", "door", "as agreed", 1) not in (None, "as agreed")
    assert not plausible.has("toy_open_door")
