"""What the demo makes of the episodes it saw, in numbers and on the screen."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from companyos.cli.demo import refuse_beaten_oracle
from companyos.cli.live import show_live
from companyos.cli.play import Line, Played, lines_of
from companyos.embedded.errors import StackError

GOING = Played("vendor_onboarding", "oracle", 0, 3, 30, 1.5, 0.1, None)
WON = replace(GOING, steps=8, episode_return=20.0, seconds=0.5, success=True)
LOST = replace(WON, steps=12, episode_return=-1.0, seconds=1.5, success=False)


def test_episodes_are_summed_up_per_scenario_and_agent() -> None:
    other = replace(LOST, agent="random")

    assert lines_of([WON, other, LOST]) == [
        Line("vendor_onboarding", "oracle", 2, 0.5, 0.5, 9.5, 20, 10.0),
        Line("vendor_onboarding", "random", 1, 0.0, 0.0, -1.0, 12, 8.0),
    ]


def test_environment_failures_are_counted_but_not_scored() -> None:
    spoiled = replace(LOST, episode_return=-9.0, invalid=True)

    assert lines_of([WON, spoiled]) == [
        Line("vendor_onboarding", "oracle", 2, 1.0, 1.0, 20.0, 20, 10.0, invalid=1)
    ]
    assert lines_of([spoiled])[0].success == 0.0
    with pytest.raises(StackError, match="failed 1 episodes"):
        refuse_beaten_oracle(lines_of([WON, spoiled]))


def test_an_agent_that_gave_up_at_once_has_a_line_too() -> None:
    assert lines_of([replace(LOST, steps=0, seconds=0.0)])[0].steps_per_s == 0.0


def test_the_live_view_draws_every_step_and_keeps_the_outcomes() -> None:
    screen = StringIO()
    console = Console(file=screen, force_terminal=True, width=80, no_color=True)

    finished = show_live([GOING, WON, replace(GOING, agent="random"), replace(LOST, agent="random")], console)

    assert finished == [WON, replace(LOST, agent="random")]
    assert "succeeded" in screen.getvalue()
    assert " 12/30   -1.00" in screen.getvalue()
