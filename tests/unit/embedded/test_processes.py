"""A process is known by its id and the time of its start."""

import os
import signal
import subprocess

from companyos.embedded.programs.processes import command_of, is_same, signal_if_same, start_mark


def test_a_process_keeps_its_mark() -> None:
    mark = start_mark(os.getpid())

    assert mark is not None
    assert is_same(os.getpid(), mark)


def test_another_life_under_the_same_id_is_not_the_same_process() -> None:
    assert not is_same(os.getpid(), "1")


def test_a_signal_is_not_sent_to_a_stranger_who_got_the_id() -> None:
    with subprocess.Popen(["sleep", "600"]) as stranger:
        assert not signal_if_same(stranger.pid, "1", signal.SIGKILL)
        assert stranger.poll() is None

        mark = start_mark(stranger.pid)
        assert mark is not None
        assert signal_if_same(stranger.pid, mark, signal.SIGKILL)


def test_a_dead_process_and_a_zombie_have_no_mark() -> None:
    with subprocess.Popen(["true"], stdout=subprocess.PIPE) as ended:
        assert ended.stdout is not None
        ended.stdout.read()
        while start_mark(ended.pid):
            pass

    assert start_mark(ended.pid) is None
    assert command_of(ended.pid) == ""
