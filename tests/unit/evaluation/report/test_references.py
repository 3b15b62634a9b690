"""A report shows the success of scripted agents on the cards beside that of its runs."""

from pathlib import Path

import pytest

from companyos.evaluation.cards import SuccessRate, success_on
from companyos.evaluation.report import outcomes
from companyos.evaluation.report.comparison import Comparison
from companyos.evaluation.report.references import REFERENCES
from companyos.evaluation.report.tables import Cell
from companyos.sdk.scenario import find, folder_of
from tests.unit.evaluation.runs.samples import record

from .samples import written


@pytest.fixture
def comparison_with_cards(tmp_path: Path) -> Comparison:
    """A run of a family whose card has measured the references at both levels."""
    family, played = (
        "vendor_onboarding",
        [record(0, chaos=chaos, scenario="vendor_onboarding") for chaos in (0, 3)],
    )
    return Comparison([written(tmp_path / "run", played, scenarios={family: find(family).version})])


def test_success_stands_beside_that_of_the_agents_on_the_card(comparison_with_cards: Comparison) -> None:
    _, rates = success_on((folder_of(find("vendor_onboarding")) / "README.md").read_text(encoding="utf-8"))
    section, robustness = (
        outcomes.by_scenario(comparison_with_cards),
        outcomes.by_chaos(comparison_with_cards),
    )

    assert [list(row) for row in robustness.table.rows[1:]] == [
        [
            "vendor_onboarding",
            f"card: {name}",
            *(Cell.of_reference(rates[on_card, level]) for level in (0, 3)),
        ]
        for name, on_card in REFERENCES.items()
    ]
    assert section.note.startswith("Gray: oracle, retries_nothing, believes_claims and random, as the cards")
    lines = robustness.charts[0].spec["layer"][0]["data"]["values"]
    assert {(line["name"], int(line["level"])): line["rate"] for line in lines} == {
        (name, level): rates[on_card, level].success
        for name, on_card in REFERENCES.items()
        for level in (0, 3)
    }


def test_spl_on_the_card_stands_below_its_success() -> None:
    assert Cell.of_reference(SuccessRate(0.5, 0.4)) == Cell("50%", note="SPL 40%")
    assert Cell.of_reference(SuccessRate(0.5, None)) == Cell("50%")
    assert Cell.of_reference(None) == Cell("–")


def test_a_card_of_another_version_or_of_no_level_gives_no_reference(tmp_path: Path) -> None:
    family = "vendor_onboarding"
    older = written(tmp_path / "older", [record(0, scenario=family)], scenarios={family: 1})
    custom = written(
        tmp_path / "custom",
        [record(0, scenario=family, chaos="evt.drop=1")],  # type: ignore[arg-type]
        scenarios={family: find(family).version},
    )

    for comparison in (Comparison([older]), Comparison([custom]), Comparison([older, custom])):
        section = outcomes.by_scenario(comparison)
        assert len(outcomes.by_chaos(comparison).table.rows) == len(comparison.columns)
        assert section.note == ""
        assert [layer.get("data") for layer in section.charts[0].spec["layer"]] == [None, None]
