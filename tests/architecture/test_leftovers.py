"""Test runs do not fill the disk: clusters that stopped are removed, those that run stay."""

from pathlib import Path

from tests.conftest import remove_stopped_clusters


def cluster(home: Path, *files: str) -> Path:
    """Make a folder that looks like a home with a cluster in it, with these files beside its version."""
    data = home / "postgres-18"
    data.mkdir(parents=True)
    for name in ("PG_VERSION", *files):
        (data / name).write_text("18")
    return data


def test_a_stopped_cluster_is_removed_with_its_data(tmp_path: Path):
    stopped = cluster(tmp_path / "stack0")

    remove_stopped_clusters(tmp_path)

    assert not stopped.exists()


def test_the_logs_beside_a_stopped_cluster_stay(tmp_path: Path):
    log = cluster(tmp_path / "stack0").parent / "stack.log"
    log.write_text("what it said")

    remove_stopped_clusters(tmp_path)

    assert log.read_text() == "what it said"


def test_a_running_cluster_stays(tmp_path: Path):
    running = cluster(tmp_path / "stack0", "postmaster.pid")

    remove_stopped_clusters(tmp_path)

    assert (running / "PG_VERSION").exists()


def test_a_cluster_that_is_being_made_stays(tmp_path: Path):
    data = tmp_path / "stack0" / "postgres-18"
    data.mkdir(parents=True)

    remove_stopped_clusters(tmp_path)

    assert data.exists()
