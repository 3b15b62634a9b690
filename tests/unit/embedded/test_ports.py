"""Ports are taken before they are promised."""

import os

import pytest

from companyos.embedded.endpoints import take_listeners, url_of
from companyos.embedded.errors import StackError
from companyos.embedded.ports import listen
from companyos.embedded.programs.port_holders import holder_of
from companyos.embedded.server import AGENT_API, ORCHESTRATOR, service_names


def test_a_taken_port_is_replaced_by_a_free_one() -> None:
    with listen("127.0.0.1", 0, exactly=True) as first:
        port = first.getsockname()[1]

        with listen("127.0.0.1", port, exactly=False) as second:
            assert second.getsockname()[1] != port


def test_a_taken_port_is_refused_when_it_must_be_that_one() -> None:
    with listen("127.0.0.1", 0, exactly=True) as first:
        port = first.getsockname()[1]

        with pytest.raises(StackError, match=f"127.0.0.1:{port} is not available.*--port"):
            listen("127.0.0.1", port, exactly=True)


def test_the_error_names_what_chooses_the_port() -> None:
    with (
        listen("127.0.0.1", 0, exactly=True) as first,
        pytest.raises(StackError, match="another COMPANYOS_X"),
    ):
        listen("127.0.0.1", first.getsockname()[1], exactly=True, setting="COMPANYOS_X")


def test_every_listener_of_a_stack_is_another_socket() -> None:
    listeners = take_listeners("127.0.0.1", None)

    assert list(listeners) == [*service_names(), ORCHESTRATOR, AGENT_API]
    assert len({url_of(listener) for listener in listeners.values()}) == len(listeners)
    for listener in listeners.values():
        listener.close()


def test_the_agent_api_listens_where_it_was_asked_to() -> None:
    with listen("127.0.0.1", 0, exactly=True) as free:
        port = free.getsockname()[1]

    listeners = take_listeners("127.0.0.1", None, "127.0.0.2", port)

    assert url_of(listeners[AGENT_API]) == f"http://127.0.0.2:{port}"
    for listener in listeners.values():
        listener.close()


def test_the_error_names_the_program_that_has_the_port() -> None:
    with listen("127.0.0.1", 0, exactly=True) as first:
        port = first.getsockname()[1]

        assert holder_of(port).endswith(f", process {os.getpid()}")
        with pytest.raises(StackError, match=f"process {os.getpid()}"):
            listen("127.0.0.1", port, exactly=True)

    assert holder_of(port) == ""


def test_a_port_that_agents_know_is_taken_again_or_refused() -> None:
    with (
        listen("127.0.0.1", 0, exactly=True) as first,
        pytest.raises(StackError, match=r"another COMPANYOS_AGENT_PORT.*earlier start"),
    ):
        take_listeners("127.0.0.1", 0, known_agent_port=first.getsockname()[1])
