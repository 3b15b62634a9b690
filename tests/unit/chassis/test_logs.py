"""Where the log goes."""

import io
import json
import sys

import pytest
import structlog

from companyos.chassis.web.observability import configure_logs


def test_a_line_goes_to_what_is_standard_error_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    configure_logs("info")
    log = structlog.get_logger("test")
    with io.StringIO() as closed:
        monkeypatch.setattr(sys, "stderr", closed)
        log.warning("before")

    monkeypatch.setattr(sys, "stderr", now := io.StringIO())
    log.warning("after")

    assert json.loads(now.getvalue())["event"] == "after"
