"""A stack that traces, beside OpenTelemetry: what a collector gets of a step, and what services are told."""

import subprocess
import sys

from companyos.sdk import stackpath

from .conftest import Play

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_a_step_its_calls_and_what_services_did_of_them_are_spans_of_the_trainers_trace(play: Play) -> None:
    found = play("tracing", "traced_step.py", TRACE, SPAN)

    [step] = [span for span in found["spans"] if span["trace"] == TRACE and span["name"] == "step"]
    calls = [span for span in found["spans"] if span["trace"] == TRACE and "peer.service" in span]
    [served] = [span for span in found["spans"] if span["trace"] == TRACE and "companyos.tool" in span]
    assert (step["parent"], step["companyos.episode"], step["companyos.cell"]) == (
        SPAN,
        found["episode"],
        "cell-a",
    )
    assert [(call["peer.service"], call["url.path"], call["parent"]) for call in calls] == [
        ("ticketdesk", "/tickets", step["id"])
    ]
    assert (
        served["parent"],
        served["service.name"],
        served["name"],
        served["http.response.status_code"],
    ) == (
        calls[0]["id"],
        "ticketdesk",
        "ticketdesk_list_tickets",
        200,
    )
    subjects = ("companyos.request", "companyos.episode", "companyos.step")
    assert [served[name] for name in subjects] == [step[name] for name in subjects]
    assert served["companyos.world"] > 0
    assert [span["trace"] == TRACE for span in found["spans"] if span["name"] == "reset"] == [False]
    in_trace, in_none = found["told"]
    assert in_trace.split("-")[1] == TRACE
    assert in_none is None


def test_a_process_that_does_not_trace_does_not_import_how() -> None:
    modules = "orchestrator.app, services.ticketdesk.app"
    program = f"import sys, {modules}; print(any(name.endswith('.tracing') for name in sys.modules))"
    where = {"env": stackpath.environment(), "cwd": stackpath.ROOT}

    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, **where
    )

    assert ended.stdout.strip() == "False"
