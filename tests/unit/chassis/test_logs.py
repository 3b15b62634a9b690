"""Where the log goes, and what each line of it says."""

import io
import json
import subprocess
import sys

import pytest
import structlog

from companyos.chassis.web.logs import bind_request, bind_subject, configure_logs, subject
from companyos.sdk import stackpath


def test_a_line_goes_to_what_is_standard_error_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    configure_logs("info")
    log = structlog.get_logger("test")
    with io.StringIO() as closed:
        monkeypatch.setattr(sys, "stderr", closed)
        log.warning("before")

    monkeypatch.setattr(sys, "stderr", now := io.StringIO())
    log.warning("after")

    assert json.loads(now.getvalue())["event"] == "after"


OTHERS = """
import logging, threading, warnings
from companyos.chassis.web.logs import log_everything
log_everything("info", "ticketdesk")
logging.getLogger("uvicorn.error").info("Started server process")
logging.getLogger("alembic.runtime").warning("slow")
warnings.warn("old", DeprecationWarning, stacklevel=1)
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
raise ValueError("two\\nlines")
"""


def test_every_line_of_a_process_is_an_object_with_time_level_and_process() -> None:
    program = [sys.executable, "-W", "default", "-c", OTHERS]

    said = subprocess.run(program, env=stackpath.environment(), capture_output=True, text=True).stderr

    lines = [json.loads(line) for line in said.splitlines()]
    assert [line["level"] for line in lines] == ["info", "warning", "warning", "critical", "critical"]
    assert {line["process"] for line in lines} == {"ticketdesk"}
    assert all(line["timestamp"] and line["pid"] for line in lines)
    assert "ZeroDivisionError" in lines[3]["exception"]
    assert "two\nlines" in lines[4]["exception"]


def test_a_line_says_which_request_episode_and_step_it_belongs_to(monkeypatch: pytest.MonkeyPatch) -> None:
    configure_logs("info")
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())

    with structlog.contextvars.bound_contextvars(episode="é/1", step=3):
        bind_request("run-7")
        passed_on = subject()
    structlog.contextvars.clear_contextvars()
    bind_subject(passed_on, world=12)
    structlog.get_logger("test").warning("refused")
    structlog.contextvars.clear_contextvars()

    line = json.loads(said.getvalue())
    assert (line["request"], line["episode"], line["step"], line["world"]) == ("run-7", "é/1", 3, 12)
    assert passed_on.isascii()


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, '{"event":', "é"])
def test_a_request_without_a_usable_id_gets_one(given: str) -> None:
    bind_request(given)
    bound = structlog.contextvars.get_contextvars()["request"]
    structlog.contextvars.clear_contextvars()

    assert bound != given
    assert len(bound) == 16


def test_a_full_disk_costs_a_line_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    configure_logs("info")
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stderr", full)

        structlog.get_logger("test").error("lost")

        monkeypatch.undo()
        with pytest.raises(OSError):
            full.close()
