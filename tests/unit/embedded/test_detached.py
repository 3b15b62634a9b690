"""What a stack that did not start says of it."""

from pathlib import Path

import pytest

from companyos.embedded.detached import RunOutput, await_status
from companyos.embedded.errors import Misuse, StackError
from companyos.embedded.home import Home


def test_the_words_of_a_run_leave_out_those_of_the_runs_before(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("companyos: yesterday\n")

    output = RunOutput.of(log)
    with log.open("a") as file:
        file.write("loading\ncompanyos: 127.0.0.1:80 is not available.\n  more of it\n")

    assert output.last() == "127.0.0.1:80 is not available.\n  more of it"


def test_where_nothing_was_said_the_end_of_what_this_run_wrote_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("yesterday\n")

    output = RunOutput.of(log)
    with log.open("a") as file:
        file.write("Traceback of today\n")

    assert "Traceback of today" in output.last()
    assert "yesterday" not in output.last()


@pytest.mark.parametrize(("code", "kind"), [(2, Misuse), (1, StackError)])
def test_a_misuse_that_the_starting_process_finds_is_one_here_too(
    tmp_path: Path, code: int, kind: type[StackError]
) -> None:
    home = Home(tmp_path)
    home.supervisor_log.write_text("companyos: this is why\n")

    with pytest.raises(kind, match=r"^this is why$") as failed:
        await_status(home, lambda: code, RunOutput(home.supervisor_log, 0))

    assert failed.value.exit_code == code
