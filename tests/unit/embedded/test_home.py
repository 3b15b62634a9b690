"""The home directory: one stack at a time, secrets for its owner, a status file that is never taken at its word."""

import errno
import json
import os
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from companyos import CompanyosEnv
from companyos.embedded.errors import AlreadyRunning, Misuse
from companyos.embedded.home import Home, Process, Status, is_removed
from companyos.sdk.stackpath import ROOT
from tests.command_line import run


def status_of_this_process() -> Status:
    me = Process.of("supervisor", os.getpid())
    return Status(supervisor=me, addresses={"orchestrator": "http://127.0.0.1:8000"}, processes=[me])


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_published_status_is_read_back(tmp_path: Path) -> None:
    home, status = Home(tmp_path / "home"), status_of_this_process()

    home.publish(status)

    assert home.status() == status
    assert mode(home.status_file) == 0o600


def test_a_status_of_a_later_version_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:
    home, status = Home(tmp_path), status_of_this_process()
    home.publish(status)
    told = json.loads(home.status_file.read_text())

    home.status_file.write_text(json.dumps({**told, "moons": ["Phobos"]}))

    assert home.status() == status


def test_a_stack_of_another_checkout_says_whose_code_it_runs(tmp_path: Path) -> None:
    ours, other = (replace(status_of_this_process(), code=code) for code in (str(ROOT), "/another/checkout"))

    Home(tmp_path).publish(replace(other, processes=[], agent_url="http://127.0.0.1:9"))
    shown = run("status", folder=tmp_path, COMPANYOS_HOME=str(tmp_path))
    again = run("up", folder=tmp_path, COMPANYOS_HOME=str(tmp_path))

    told = f"This stack runs the code in /another/checkout, not that in {ROOT}. Stop it"
    assert ours.other_code == status_of_this_process().other_code == ""
    assert told in shown.stdout
    assert (again.returncode, told in again.stderr) == (0, True)


def test_a_client_of_a_stack_of_another_checkout_warns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Home(tmp_path).publish(replace(status_of_this_process(), code="/another/checkout"))
    monkeypatch.setenv("COMPANYOS_HOME", str(tmp_path))

    with pytest.warns(UserWarning, match="code in /another/checkout"):
        env = CompanyosEnv.local()

    assert env.base_url == "http://127.0.0.1:8000"
    env.close()


def test_a_status_whose_supervisor_is_gone_is_not_believed(tmp_path: Path) -> None:
    home, status = Home(tmp_path), status_of_this_process()
    stale = replace(status, supervisor=replace(status.supervisor, mark="the mark of an earlier life"))

    home.publish(stale)

    assert home.status() is None
    assert home.recorded() == stale


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", '{"supervisor": 1}', '"text"', "null"])
def test_a_damaged_status_file_is_no_status(tmp_path: Path, text: str) -> None:
    home = Home(tmp_path)

    home.status_file.write_text(text)

    assert home.recorded() is None


def test_a_home_takes_one_stack(tmp_path: Path) -> None:
    home = Home(tmp_path)

    with home.lock(), pytest.raises(AlreadyRunning, match="companyos down"):
        home.lock()

    home.lock().close()


def test_a_home_is_taken_once_the_stack_that_is_stopping_is_gone(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.publish(replace(status_of_this_process(), stopping=True))
    stopping = home.lock()
    assert home.lasting() is None
    assert home.is_taken()

    with ThreadPoolExecutor() as pool:
        waits = pool.submit(home.lock)
        with pytest.raises(TimeoutError):
            waits.result(0.3)
        home.withdraw()
        stopping.close()

        waits.result(60).close()


def test_secrets_are_made_once_and_are_their_owners_alone(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")

    first = home.secrets(["ticketdesk"])
    later = home.secrets(["ticketdesk", "datahub"])

    assert later["ticketdesk"] == first["ticketdesk"]
    assert len({*later.values()}) == 2
    assert mode(tmp_path / "home" / "secrets.json") == 0o600
    assert mode(tmp_path / "home") == 0o700


def test_old_logs_are_kept_beside_the_new_ones(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.create()
    home.log("ticketdesk").write_text("yesterday")

    home.keep_old_logs()

    assert not home.log("ticketdesk").exists()
    assert (tmp_path / "logs" / "ticketdesk.log.old").read_text() == "yesterday"


def test_the_home_is_what_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANYOS_HOME", str(tmp_path / "set"))

    assert Home.at(tmp_path / "given").path == tmp_path / "given"
    assert Home.at(None).path == tmp_path / "set"

    monkeypatch.delenv("COMPANYOS_HOME")
    assert Home.at(None).path == Path("~/.companyos").expanduser()


def test_a_home_that_was_removed_is_known_by_its_lock(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with home.lock() as lock:
        assert not is_removed(lock)

        shutil.rmtree(home.path)

        assert is_removed(lock)


def test_a_home_below_somebody_nobody_knows_is_refused_with_the_way_out() -> None:
    with pytest.raises(Misuse, match="Give --home, or set COMPANYOS_HOME or HOME"):
        Home.at(Path("~nobody-at-all/home"))


def test_a_status_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    home, status = Home(tmp_path), status_of_this_process()
    home.publish(status)
    told = json.loads(home.status_file.read_text())
    del told["settings"]

    home.status_file.write_text(json.dumps(told))

    assert home.status() == status


def test_a_status_is_rewritten_where_nothing_can_be_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, status = Home(tmp_path), status_of_this_process()
    home.publish(status)

    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        home.publish(replace(status, trouble="PostgreSQL ended with code 1"))

    assert home.status() == replace(status, trouble="PostgreSQL ended with code 1")


def test_a_home_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(Misuse, match=r"udcff. is not UTF-8. Choose another --home"):
        Home.at(Path(os.fsdecode(b"/tmp/\xff")))
