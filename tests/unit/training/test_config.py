"""The smallest configuration names a folder, and mistakes in it are named."""

from pathlib import Path

import pytest

from companyos.sdk.splits import SEEDS, Split
from companyos.training.config import CloningConfig, ReinforcementConfig, load_config


def test_the_smallest_configuration_names_the_folder_of_the_run(tmp_path: Path) -> None:
    file = tmp_path / "train.toml"
    file.write_text('out = "run"')

    config = load_config(CloningConfig, file)

    assert config.out == Path("run")
    assert all(option["seed"] in SEEDS[Split.VALIDATION] for option in config.held_out_options())
    assert all(option["seed"] in SEEDS[Split.TRAIN] for option in config.training_options(60))


def test_the_configurations_of_the_page_are_complete(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "train-a-small-policy.md").read_text()
    blocks = [block.partition("```")[0] for block in page.split("```toml\n")[1:]]
    file = tmp_path / "train.toml"

    for kind, block in zip((CloningConfig, ReinforcementConfig), blocks, strict=True):
        file.write_text(block)
        assert load_config(kind, file)


def test_an_unknown_setting_is_named(tmp_path: Path) -> None:
    file = tmp_path / "train.toml"
    file.write_text('out = "run"\nstart = "clone"\ncredits = "episode"')

    with pytest.raises(ValueError, match="credits"):
        load_config(ReinforcementConfig, file)
