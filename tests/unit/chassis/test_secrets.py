"""Secrets in the settings of a process."""

from __future__ import annotations

import pytest

from companyos.chassis import ProcessSettings
from companyos.cli.process import migrate
from companyos.embedded.errors import Misuse
from companyos.embedded.server import process_names
from companyos.embedded.settings import check_settings

SECRET = "a-secret-of-16-characters"
DATABASE, BUS = f"postgresql://me:{SECRET}@database:5432/company", f"redis://:{SECRET}@bus:6379/0"


def test_a_secret_is_read_without_the_end_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {"DATABASE_URL": DATABASE, "REDIS_URL": BUS}
    for name in ("DATABASE_URL", "REDIS_URL", "CONTEXT_KEY", "ADMIN_TOKEN", "OPERATOR_TOKEN"):
        monkeypatch.setenv(f"COMPANYOS_{name}", f"{secrets.get(name, SECRET)}\n")

    settings = ProcessSettings()  # type: ignore[call-arg]

    assert settings.operator_token is not None
    assert settings.operator_token.get_secret_value() == SECRET
    assert settings.admin_token.get_secret_value() == SECRET
    assert settings.database_url.get_secret_value() == DATABASE


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The settings of a process whose stores can be reached."""
    for name, value in {"DATABASE_URL": DATABASE, "REDIS_URL": BUS}.items():
        monkeypatch.setenv(f"COMPANYOS_{name}", value)
    for name in ("CONTEXT_KEY", "ADMIN_TOKEN"):
        monkeypatch.setenv(f"COMPANYOS_{name}", SECRET)
    return monkeypatch


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("DATABASE_URL", DATABASE.replace("5432", "99999")),
        ("DATABASE_URL", DATABASE.replace("5432", "port")),
        ("DATABASE_URL", DATABASE.replace("5432", "0")),
        ("DATABASE_URL", DATABASE.replace("5432", "5432,a:70000")),
        ("DATABASE_URL", DATABASE.replace("5432/", "5４32/")),
        ("DATABASE_URL", DATABASE.replace("database:", "[::1:")),
        ("DATABASE_URL", DATABASE.replace("postgresql:", "mysql:")),
        ("DATABASE_URL", f"host=database port=5432 password={SECRET}"),
        ("DATABASE_URL", f"{DATABASE}?colour=blue"),
        ("DATABASE_URL", f"postgresql://me:{SECRET}@/company?host=/run/sockets&port=70000"),
        ("REDIS_URL", BUS.replace("6379", "99999")),
        ("REDIS_URL", BUS.replace("6379", "port")),
        ("REDIS_URL", BUS.replace("6379", "0")),
        ("REDIS_URL", BUS.replace("bus:", "[::1:")),
        ("REDIS_URL", BUS.replace("redis:", "http:")),
        ("REDIS_URL", f"{BUS}?socket_timeout=soon"),
        ("REDIS_URL", "unix://"),
        ("REDIS_URL", SECRET),
    ],
)
def test_a_url_of_a_store_that_cannot_be_read_is_named_with_its_form_and_not_shown(
    name: str, url: str, stores: pytest.MonkeyPatch
) -> None:
    stores.setenv(f"COMPANYOS_{name}", url)

    with pytest.raises(Misuse, match=rf"^COMPANYOS_{name} is .*\. Allowed: a .* URL such as ") as refused:
        check_settings("ticketdesk")

    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("DATABASE_URL", DATABASE),
        ("DATABASE_URL", "postgresql://me:p#w@database/company"),
        ("DATABASE_URL", "postgres://first:5432,second:5433/company?target_session_attrs=read-write"),
        ("DATABASE_URL", "postgresql://me@/company?host=/run/sockets&port=5433"),
        ("REDIS_URL", BUS),
        ("REDIS_URL", "rediss://bus"),
        ("REDIS_URL", "unix:///run/bus.sock"),
    ],
)
def test_every_form_of_url_that_a_store_understands_is_accepted(
    name: str, url: str, stores: pytest.MonkeyPatch
) -> None:
    stores.setenv(f"COMPANYOS_{name}", url)

    settings = ProcessSettings()  # type: ignore[call-arg]

    assert getattr(settings, name.lower()).get_secret_value() == url


def test_an_administrators_url_that_cannot_be_read_is_named_before_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in process_names():
        monkeypatch.setenv(f"{name.upper()}_DATABASE_PASSWORD", SECRET)
    monkeypatch.setenv("COMPANYOS_ADMIN_DATABASE_URL", DATABASE.replace("5432", "port"))

    with pytest.raises(
        Misuse, match=r"^COMPANYOS_ADMIN_DATABASE_URL .* a PostgreSQL URL such as "
    ) as refused:
        migrate()

    assert SECRET not in str(refused.value)
