"""`companyos run --size` and `--start`: what is accepted is what a reset takes."""

import pytest
import typer

from companyos.cli.run.options import MOST_ROWS, SIZES, parsed_size, parsed_start
from orchestrator.protocol.options import ROWS_OF, ResetOptions, StartPoint


@pytest.mark.parametrize("text", [*SIZES, "1", "5000", str(MOST_ROWS)])
def test_a_size_is_one_that_a_reset_takes(text: str) -> None:
    assert ResetOptions(size=parsed_size(text)).company_size == (text if text in ROWS_OF else int(text))


@pytest.mark.parametrize("text", ["", "tiny", "0", "-1", "1.5", "５0", "1_0", str(MOST_ROWS + 1)])
def test_a_wrong_size_is_refused_with_the_right_ones(text: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"small, default|from 1 to"):
        parsed_size(text)


@pytest.mark.parametrize("text", ["calls=0", "calls=12", "calls_left=3", "milestone:ticket_verified"])
def test_a_start_is_one_that_a_reset_takes(text: str) -> None:
    start = StartPoint.model_validate(parsed_start(text))

    assert text in (f"calls={start.calls}", f"calls_left={start.calls_left}", start.until)


@pytest.mark.parametrize(
    "text", ["", "3", "calls", "calls=", "calls=-1", "calls=５", "calls=1_0", "milestone:", "until=x"]
)
def test_a_wrong_start_is_refused_with_the_right_ones(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="calls=N, calls_left=N or milestone:NAME"):
        parsed_start(text)
