"""The smallest configuration names a folder, and mistakes in it are named."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from companyos.sdk.splits import SEEDS, Split
from companyos.training.config import CloningConfig, ReinforcementConfig, TrainingConfig, load_config


def test_the_smallest_configuration_names_the_folder_of_the_run(tmp_path: Path) -> None:
    file = tmp_path / "train.toml"
    file.write_text('out = "run"')

    config = load_config(CloningConfig, file)

    assert config.out == Path("run")
    assert all(option["seed"] in SEEDS[Split.VALIDATION] for option in config.held_out_options())
    assert all(option["seed"] in SEEDS[Split.TRAIN] for option in config.training_options(60))


@pytest.mark.parametrize(
    ("page", "kinds"),
    [
        ("train-a-small-policy.md", (CloningConfig, ReinforcementConfig)),
        ("train-a-language-model.md", (CloningConfig, ReinforcementConfig, CloningConfig)),
    ],
)
def test_the_configurations_of_a_page_are_complete(
    tmp_path: Path, page: str, kinds: Sequence[type[TrainingConfig]]
) -> None:
    text = (Path(__file__).parents[3] / "docs" / "how-to" / page).read_text()
    blocks = [block.partition("```")[0] for block in text.split("```toml\n")[1:]]
    file = tmp_path / "train.toml"

    for kind, block in zip(kinds, blocks, strict=True):
        file.write_text(block)
        assert load_config(kind, file)


def test_an_unknown_setting_is_named(tmp_path: Path) -> None:
    file = tmp_path / "train.toml"
    file.write_text('out = "run"\nstart = "clone"\ncredits = "episode"')

    with pytest.raises(ValueError, match="credits"):
        load_config(ReinforcementConfig, file)


def test_reinforcement_begins_with_a_run_or_a_model(tmp_path: Path) -> None:
    file = tmp_path / "train.toml"
    file.write_text('out = "run"\nmodel = "weights"')

    assert load_config(ReinforcementConfig, file).language.model == "weights"
    file.write_text('out = "run"\nmodel = "weights"\nstart = "clone"')
    with pytest.raises(ValueError, match="either `start` or `model`"):
        load_config(ReinforcementConfig, file)
