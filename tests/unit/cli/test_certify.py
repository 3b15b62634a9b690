"""Where the metrics of a certification are written, and where they are not."""

from pathlib import Path

import pytest
import typer

from companyos.cli.certify import card_of, check_card
from companyos.cli.demo import checked_url
from companyos.evaluation.cards import CARD_BEGIN, CARD_END


def card_in(folder: Path, text: str = f"{CARD_BEGIN}\n{CARD_END}") -> Path:
    folder.mkdir(parents=True)
    card = folder / "README.md"
    card.write_text(text)
    return card


def test_the_card_of_a_scenario_in_a_checkout_is_written() -> None:
    assert check_card(card_of("vendor_onboarding")) is None


def test_a_card_anywhere_else_than_in_a_package_is_written(tmp_path: Path) -> None:
    assert check_card(card_in(tmp_path / "my_scenarios" / "one")) is None


@pytest.mark.parametrize(
    "folder", ["site-packages/companyos/_stack/scenarios/one", "lib/dist-packages/theirs"]
)
def test_a_card_of_an_installed_package_is_refused(tmp_path: Path, folder: str) -> None:
    with pytest.raises(typer.BadParameter, match="belongs to an installed package"):
        check_card(card_in(tmp_path / folder))


def test_a_card_without_a_place_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="has no lines"):
        check_card(card_in(tmp_path / "one", "# One"))


@pytest.mark.parametrize(
    "url", ["notaurl", "localhost:8000", "http://", "http://host:99999", "http://[::1", "ftp://host"]
)
def test_invalid_url_is_refused(url: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not an address like"):
        checked_url(url)
