"""The secrets of the Compose stack: random, derived, stable, and each reader's own."""

import inspect
import re
import stat
from pathlib import Path

import pytest

from companyos.chassis.events import bus, channel, consumer
from deploy.make_secrets import Seeds, files_for, require_token, write

SERVICES = ["datahub", "ticketdesk"]
PROCESSES = ["datahub", "orchestrator", "ticketdesk"]


@pytest.fixture
def seeds(tmp_path: Path) -> Seeds:
    return Seeds(tmp_path)


def known_to(reader: str, seeds: Seeds, trainer_token: str = "") -> dict[str, str]:
    return files_for(reader, PROCESSES, seeds, trainer_token=trainer_token)


def test_two_stacks_share_no_secret(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()

    one, two = Seeds(tmp_path / "one"), Seeds(tmp_path / "two")

    assert one.derive("context") != two.derive("context")
    assert one.administrator_password() != two.administrator_password()


def test_a_second_start_makes_the_same_secrets(tmp_path: Path) -> None:
    first = known_to("orchestrator", Seeds(tmp_path))

    assert known_to("orchestrator", Seeds(tmp_path)) == first


def test_rotation_renews_everything_but_the_administrators_password(tmp_path: Path) -> None:
    before = Seeds(tmp_path)

    after = Seeds(tmp_path, rotate=True)

    assert after.administrator_password() == before.administrator_password()
    assert after.derive("postgres/datahub") != before.derive("postgres/datahub")
    assert Seeds(tmp_path).derive("context") == after.derive("context")


def test_a_service_knows_no_password_of_another(seeds: Seeds) -> None:
    ticketdesk, datahub = known_to("ticketdesk", seeds), known_to("datahub", seeds)

    assert ticketdesk.keys() == datahub.keys()
    assert ticketdesk["database_url"] != datahub["database_url"]
    assert ticketdesk["redis_url"] != datahub["redis_url"]
    assert seeds.administrator_password() not in str(ticketdesk)


def test_migrate_gets_the_password_that_each_process_will_use(seeds: Seeds) -> None:
    files = known_to("migrate", seeds)

    for process in PROCESSES:
        assert f":{files[f'{process}_database_password']}@" in known_to(process, seeds)["database_url"]


def test_a_browser_gets_the_trainers_token_and_nothing_else(seeds: Seeds) -> None:
    assert known_to("browser", seeds, trainer_token="told") == {"trainer_token": "told"}


def test_redis_lets_nobody_in_by_default_and_keeps_digests_only(seeds: Seeds) -> None:
    users = known_to("redis", seeds)["users.acl"].splitlines()

    assert users[0] == "user default off resetchannels -@all"
    assert [line.split()[1] for line in users[2:]] == PROCESSES
    assert seeds.derive("redis/ticketdesk") not in "\n".join(users)


def test_services_may_use_every_command_that_the_bus_sends(seeds: Seeds) -> None:
    written = "".join(inspect.getsource(module) for module in (bus, channel, consumer))
    sent = set(re.findall(r"(?:redis|pipeline)\.(x[a-z_]+)\(", written))
    sent |= {command.lower() for command in re.findall(r"\"(X[A-Z]+)\"", inspect.getsource(channel))}
    users = known_to("redis", seeds)["users.acl"].splitlines()
    allowed = {line.split()[1]: set(re.findall(r"\+([a-z|]+)", line)) for line in users[2:]}

    assert {"xadd", "xreadgroup", "xinfo_groups"} <= sent
    for service in SERVICES:
        assert {command.replace("_", "|") for command in sent} <= allowed[service]


def test_services_may_end_redis_only_where_chaos_kills_for_real(seeds: Seeds) -> None:
    usual = known_to("redis", seeds)["users.acl"]
    evaluating = files_for("redis", PROCESSES, seeds, trainer_token="", real_kills=True)["users.acl"]

    assert "shutdown" not in usual
    may = [line.split()[1] for line in evaluating.splitlines() if "+shutdown" in line]
    assert may == ["datahub", "ticketdesk"]


def test_only_the_orchestrator_learns_the_trainers_token(seeds: Seeds) -> None:
    knowing = [
        reader
        for reader in ["postgres", "redis", "migrate", *PROCESSES]
        if "open sesame" in str(known_to(reader, seeds, "open sesame"))
    ]

    assert knowing == ["orchestrator"]


def test_a_secret_file_is_readable_by_its_owner_and_group_only_and_can_be_replaced(tmp_path: Path) -> None:
    write(tmp_path / "token", "first")

    write(tmp_path / "token", "second")

    assert (tmp_path / "token").read_text() == "second"
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o440
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


def test_the_stack_does_not_start_when_the_trainer_api_is_open_to_strangers() -> None:
    with pytest.raises(SystemExit, match="COMPANYOS_TRAINER_TOKEN"):
        require_token("0.0.0.0", "")


@pytest.mark.parametrize(("host", "token"), [("127.0.0.1", ""), ("::1", ""), ("0.0.0.0", "a token")])
def test_the_stack_starts_on_loopback_or_with_a_token(host: str, token: str) -> None:
    assert require_token(host, token) is None


def test_only_the_orchestrator_knows_the_grader_token_and_only_beside_a_trainer_token(seeds: Seeds) -> None:
    readers = ["postgres", "redis", "migrate", *PROCESSES]
    token = seeds.derive("grader")

    assert [each for each in readers if token in str(known_to(each, seeds, "open sesame"))] == [
        "orchestrator"
    ]
    assert known_to("orchestrator", seeds, "")["grader_token"] == ""


def test_every_process_knows_the_operator_token_and_nobody_else_does(seeds: Seeds) -> None:
    tokens = {known_to(process, seeds)["operator_token"] for process in PROCESSES}

    assert tokens == {seeds.derive("operator")}
    assert all(seeds.derive("operator") not in str(known_to(each, seeds)) for each in ("migrate", "redis"))
