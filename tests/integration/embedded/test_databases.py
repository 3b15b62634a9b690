"""Real servers: they keep what they hold, serve one owner, survive damage, and never outlive a kill -9."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from redis import Redis

from companyos.embedded.errors import AlreadyRunning
from companyos.embedded.stores.databases import Databases, start_databases
from companyos.embedded.stores.identity import short_hash
from companyos.embedded.stores.postgres import wal_limit_mb
from companyos.embedded.stores.valkey import dates_its_log
from companyos.sdk import stackpath
from tests.unit.embedded.orphans import all_dead, killed_after, wait_until

LOGS = ("postgres.log", "valkey.log")
#: A date at the front, or after what Valkey begins with; its signal handler knows seconds only.
DATED_LINE = re.compile(r"\d+:signal-handler \(\d+\)|(\d+:[A-Z] )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d{3}")
START_AND_DIE = """
import os, signal, sys
from pathlib import Path
from companyos.embedded.stores.databases import start_databases

databases = start_databases(Path(sys.argv[1]))
print(databases.postgres.pid, databases.valkey.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
START_AND_ASK = """
import sys
from pathlib import Path
from companyos.embedded.stores import identity

if sys.argv[2] == "blocked":
    identity.user_namespaces_work = lambda: False
from companyos.embedded.stores.databases import start_databases

import os, psycopg
with start_databases(Path(sys.argv[1])) as databases, psycopg.connect(databases.admin_url) as connection:
    print(os.geteuid(), *connection.execute("SELECT 40 + 2").fetchone())
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def ask(databases: Databases, question: str) -> object:
    with psycopg.connect(databases.admin_url, autocommit=True) as connection:
        row = connection.execute(question).fetchone()
    return row[0] if row else None


def test_both_servers_answer(home: Path) -> None:
    with start_databases(home) as databases, Redis.from_url(databases.redis_url) as redis:
        assert ask(databases, "SELECT current_database()") == "companyos"
        assert redis.ping()


def test_the_settings_are_those_of_the_design(home: Path) -> None:
    with start_databases(home) as databases:
        settings = {
            name: ask(databases, f"SHOW {name}")
            for name in ("fsync", "synchronous_commit", "wal_level", "TimeZone")
        }
        assert settings == {
            "fsync": "on",
            "synchronous_commit": "off",
            "wal_level": "minimal",
            "TimeZone": "UTC",
        }
        assert ask(databases, "SELECT 'Z' < 'a' AND 'a' < 'ä'") is True

    with start_databases(home, durable=True) as databases:
        assert ask(databases, "SHOW synchronous_commit") == "on"


def test_every_line_of_a_log_is_dated_as_all_others(tmp_path: Path) -> None:
    with start_databases(tmp_path) as databases, psycopg.connect(databases.admin_url) as connection:
        connection.autocommit = True
        connection.execute("CREATE TABLE once (id int PRIMARY KEY, secret text)")
        connection.execute("INSERT INTO once VALUES (1, 'a')")
        for statement in (
            "SELECT 1\n/ 0\n-- long",
            "INSERT INTO once\nVALUES (1, 'hidden')",
            "nothing\nof SQL",
        ):
            with pytest.raises(psycopg.Error):
                connection.execute(statement)

    lines = [line for log in LOGS for line in (tmp_path / "logs" / log).read_text().splitlines()]
    assert [line for line in lines if not DATED_LINE.match(line)] == []
    assert "duplicate key value" in "".join(lines)
    assert "hidden" not in "".join(lines)


@pytest.mark.parametrize(
    ("told", "is_dated"),
    [
        ("Valkey server v=9.1.2 sha=00000000:1", True),
        ("Valkey server v=8.1.0 sha=00000000:0", True),
        ("Valkey server v=8.0.4 sha=00000000:0", False),
        ("Redis server v=8.2.1 sha=00000000:0", False),
        ("", False),
    ],
)
def test_a_server_is_asked_for_dates_only_if_it_knows_them(tmp_path: Path, told: str, is_dated: bool) -> None:
    program = tmp_path / "server"
    program.write_text(f"#!/bin/sh\necho '{told}'\n")
    program.chmod(0o755)

    assert dates_its_log(program) is is_dated


@pytest.mark.parametrize(("free_gb", "limit_mb"), [(0, 128), (2, 256), (4, 512), (8, 1024), (500, 1024)])
def test_the_write_ahead_log_is_limited_by_the_free_space(free_gb: int, limit_mb: int) -> None:
    assert wal_limit_mb(free_gb * 2**30) == limit_mb


def test_postgresql_data_survives_a_restart(home: Path) -> None:
    with start_databases(home) as databases, psycopg.connect(databases.admin_url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1")

    with start_databases(home) as databases:
        assert ask(databases, "SELECT count(*) FROM kept") == 1


def test_a_home_serves_one_owner(home: Path) -> None:
    with start_databases(home), pytest.raises(AlreadyRunning, match="companyos down"):
        start_databases(home)


def test_stopped_databases_leave_no_process_or_socket(home: Path) -> None:
    databases = start_databases(home)

    databases.stop()

    assert all_dead([databases.postgres.pid, databases.valkey.pid])
    assert not databases.sockets.exists()


def test_a_killed_owner_leaves_no_server_and_the_next_start_works(home: Path) -> None:
    servers = killed_after(START_AND_DIE, str(home))

    with start_databases(home) as databases:
        assert ask(databases, "SELECT 1") == 1
        wait_until(lambda: all_dead(servers))


def test_a_cluster_that_does_not_start_is_set_aside_and_replaced(tmp_path: Path, home: Path) -> None:
    start_databases(home).stop()
    template = next(home.glob("template-*"))
    shutil.copytree(template, tmp_path / template.name)
    broken = tmp_path / template.name.replace("template", "postgres")
    shutil.copytree(template, broken)
    (broken / "global" / "pg_control").write_bytes(b"damaged")

    with start_databases(tmp_path) as databases:
        assert ask(databases, "SELECT 1") == 1
        assert "kept as" in databases.notices[0]

    assert (tmp_path / f"{broken.name}.broken-1" / "global" / "pg_control").read_bytes() == b"damaged"


def test_roles_with_a_password_may_come_over_tcp(home: Path, unused_tcp_port: int) -> None:
    with start_databases(home, tcp_port=unused_tcp_port) as databases:
        with psycopg.connect(databases.admin_url, autocommit=True) as connection:
            connection.execute("CREATE ROLE guest LOGIN PASSWORD 'secret'")

        address = f"@127.0.0.1:{unused_tcp_port}/companyos"
        psycopg.connect(f"postgresql://guest:secret{address}").close()
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(f"postgresql://postgres{address}")


@pytest.mark.skipif(os.geteuid() != 0, reason="tells root apart from others")
@pytest.mark.parametrize(
    ("wrapper", "namespaces", "uid"),
    [
        (["unshare", "--user", "--map-user=65534", "--map-group=65534"], "work", "65534"),
        ([], "blocked", "0"),
    ],
    ids=["an ordinary user", "root without user namespaces"],
)
def test_it_works_as(tmp_path: Path, wrapper: list[str], namespaces: str, uid: str) -> None:
    answer = subprocess.run(
        [*wrapper, sys.executable, "-c", START_AND_ASK, str(tmp_path / "home"), namespaces],
        capture_output=True,
        text=True,
        env=stackpath.environment(),
    )

    shutil.rmtree(Path("/var/tmp") / f"companyos-{short_hash(tmp_path / 'home')}", ignore_errors=True)
    assert answer.stdout.split() == [uid, "42"], answer.stderr
