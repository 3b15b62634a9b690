"""A log that grows is set aside, and its writer goes on."""

import subprocess
from pathlib import Path

import pytest

from companyos.embedded.programs.rotation import rotate


def test_a_large_log_is_set_aside_and_its_writer_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "ticketdesk.log"
    with (
        log.open("ab") as output,
        subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=output, text=True) as writer,
    ):
        assert writer.stdin is not None
        log.write_text("before\n" * 200)

        rotate([log], most_bytes=1000)

        writer.communicate("after\n")
    assert log.read_text() == "after\n"
    assert (tmp_path / "ticketdesk.log.1").read_text() == "before\n" * 200


@pytest.mark.parametrize("name", ["small.log", "absent.log"])
def test_other_logs_are_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "small.log").write_text("line\n")

    rotate([tmp_path / name], most_bytes=1000)

    assert [file.name for file in tmp_path.iterdir()] == ["small.log"]
