"""A prepared folder: homes copy its cluster, any user runs its programs, and it holds no secret."""

import shutil
import stat
from hashlib import sha256
from pathlib import Path

import psycopg
import pytest

from companyos.embedded.errors import Misuse
from companyos.embedded.migration import migrate, schema_digest
from companyos.embedded.preparation import prepare
from companyos.embedded.server import process_names
from companyos.embedded.stores.binaries import postgres_folder, postgres_major
from companyos.embedded.stores.databases import start_databases
from companyos.embedded.stores.identical import IDENTIFIER, crc32c, make_identical
from companyos.embedded.stores.prepared import SCHEMAS, Prepared


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("image") / "prepared"
    prepare(folder)
    return Prepared(folder)


@pytest.fixture
def given(prepared: Prepared, monkeypatch: pytest.MonkeyPatch) -> Prepared:
    """The prepared folder, named by the environment."""
    monkeypatch.setenv("COMPANYOS_PREPARED", str(prepared.folder))
    return prepared


def test_without_the_setting_nothing_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMPANYOS_PREPARED", raising=False)

    assert Prepared.given() is None


def test_a_new_home_begins_with_every_schema(given: Prepared, tmp_path: Path) -> None:
    with start_databases(tmp_path / "home") as databases:
        assert databases.schemas == schema_digest()
        assert migrate(databases.admin_url, dict.fromkeys(process_names(), "-" * 16)) == []
    assert not list((tmp_path / "home").glob("template-*"))


def test_a_home_is_private_though_everybody_may_read_what_it_was_copied_from(
    given: Prepared, tmp_path: Path
) -> None:
    template = given.template(postgres_major(postgres_folder()))
    assert all(path.stat().st_mode & stat.S_IROTH for path in (template, *template.rglob("*")))

    with start_databases(tmp_path / "home") as databases:
        assert stat.S_IMODE(databases.cluster.stat().st_mode) == 0o700


def test_a_home_that_has_a_cluster_keeps_it(
    prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start_databases(tmp_path / "home") as databases:
        assert databases.schemas == ""

    monkeypatch.setenv("COMPANYOS_PREPARED", str(prepared.folder))
    with start_databases(tmp_path / "home") as databases:
        assert databases.schemas == ""


def test_a_cluster_that_is_migrated_counts_as_prepared_no_more(given: Prepared, tmp_path: Path) -> None:
    with start_databases(tmp_path / "home") as databases:
        databases.forget_schemas()
        databases.forget_schemas()

        assert databases.schemas == ""
        assert not (databases.cluster / SCHEMAS).exists()


def test_database_roles_have_no_passwords(given: Prepared, tmp_path: Path) -> None:
    with start_databases(tmp_path / "home") as databases, psycopg.connect(databases.admin_url) as connection:
        found = connection.execute("SELECT count(*), count(rolpassword) FROM pg_authid").fetchone()

    assert found is not None
    assert found[0] > len(process_names())
    assert found[1] == 0


def test_two_folders_are_prepared_the_same_whatever_was_prepared_before(
    given: Prepared, tmp_path: Path
) -> None:
    prepare(tmp_path / "again")

    assert _differing(_content(tmp_path / "again"), _content(given.folder)) == []


def _differing(one: dict[str, tuple[int, bytes]], other: dict[str, tuple[int, bytes]]) -> list[str]:
    return [path for path in sorted(one | other) if one.get(path) != other.get(path)]


def _content(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return the mode and the content, or its digest, of everything in a folder."""
    return {str(path.relative_to(folder)): (path.lstat().st_mode, _bytes(path)) for path in folder.rglob("*")}


def _bytes(path: Path) -> bytes:
    if path.is_symlink():
        return bytes(path.readlink())
    return sha256(path.read_bytes()).digest() if path.is_file() else b""


def test_a_cluster_made_identical_starts_and_goes_on_from_there(given: Prepared, tmp_path: Path) -> None:
    asked = "SELECT system_identifier, pg_current_wal_lsn() > '0/3000028' FROM pg_control_system()"
    for _ in range(2):
        with (
            start_databases(tmp_path / "home") as databases,
            psycopg.connect(databases.admin_url) as connection,
        ):
            connection.execute("CREATE TABLE IF NOT EXISTS kept AS SELECT 1")
            assert connection.execute(asked).fetchone() == (IDENTIFIER, True)
            assert connection.execute("SELECT * FROM kept").fetchall() == [(1,)]


def test_a_cluster_of_another_format_is_left_as_it_is(given: Prepared, tmp_path: Path) -> None:
    cluster = tmp_path / "cluster"
    shutil.copytree(given.template(postgres_major(postgres_folder())), cluster, symlinks=True)
    control = cluster / "global" / "pg_control"
    control.write_bytes(b"\0" * 8 + (1700).to_bytes(4, "little") + control.read_bytes()[12:])
    before = _content(cluster)

    make_identical(cluster)

    assert _differing(_content(cluster), before) == []


def test_the_checksum_is_that_of_the_standard() -> None:
    # RFC 3720, appendix B.4.
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(bytes(range(32))) == 0x46DD794E


def test_a_folder_that_exists_is_left_alone(prepared: Prepared) -> None:
    with pytest.raises(Misuse, match="exists"):
        prepare(prepared.folder)
