"""Ports are taken before they are promised."""

import pytest

from companyos.embedded.errors import StackError
from companyos.embedded.ports import listen


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
