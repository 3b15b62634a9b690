"""A scenario's code has a digest, by which a stack and a command line know whether they speak of the same."""

from pathlib import Path

import pytest

from companyos.sdk.scenario import folder_of, load_scenarios, source_digest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "scenario.py").write_text("SCENARIO = None\n")
    (tmp_path / "parts" / "brief.py").write_text("TEXT = 'Do it.'\n")
    return tmp_path


def digest(folder: Path) -> str:
    return source_digest.__wrapped__(folder)


def test_every_installed_scenario_has_a_digest_of_its_own() -> None:
    digests = {source_digest(folder_of(scenario)) for scenario in load_scenarios().values()}

    assert len(digests) == len(load_scenarios())


@pytest.mark.parametrize("file", ["scenario.py", "parts/brief.py"])
def test_an_edit_of_any_code_changes_it(folder: Path, file: str) -> None:
    before = digest(folder)
    (folder / file).write_text("OTHER = 1\n")

    assert digest(folder) != before


def test_a_file_that_moves_changes_it(folder: Path) -> None:
    before = digest(folder)
    (folder / "parts" / "brief.py").rename(folder / "brief.py")

    assert digest(folder) != before


def test_prose_does_not_change_it(folder: Path) -> None:
    before = digest(folder)
    (folder / "README.md").write_text("# A task\n")

    assert digest(folder) == before


def test_a_process_keeps_the_digest_of_what_it_loaded(folder: Path) -> None:
    loaded = source_digest(folder)
    (folder / "scenario.py").write_text("SCENARIO = 1\n")

    assert source_digest(folder) == loaded
